// A link to something folded unfolds it: not every browser does that by itself.

/** Opens whatever holds the place that the address names, and a test that is itself folded. */
function unfold(): void {
  const place = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
  const own = place?.querySelector<HTMLDetailsElement>(":scope > details.test");
  let folded = own ?? place?.closest("details");
  if (!place || !folded) return;
  for (; folded; folded = folded.parentElement?.closest("details")) folded.open = true;
  place.scrollIntoView();
}

export function unfoldTargets(): void {
  addEventListener("hashchange", unfold);
  unfold();
}
