//! Pages for tests, built from the words and bytes of the standards, without the decoders.

/// A page of 256 words.
pub(crate) struct Page(pub(crate) [u8; 512]);

impl Page {
    pub(crate) fn new() -> Self {
        Page([0; 512])
    }

    /// Sets a word.
    pub(crate) fn word(mut self, number: usize, value: u16) -> Self {
        self.0[number * 2] = (value & 0xFF) as u8;
        self.0[number * 2 + 1] = (value >> 8) as u8;
        self
    }

    /// Sets words of one number, the lowest first.
    pub(crate) fn words(self, first: usize, count: usize, value: u64) -> Self {
        (0..count).fold(self, |page, at| page.word(first + at, (value >> (16 * at) & 0xFFFF) as u16))
    }

    /// Sets a text that fills its words with blanks; the first of two letters is in the high byte.
    pub(crate) fn text(self, first: usize, count: usize, text: &str) -> Self {
        let mut letters = text.bytes().collect::<Vec<_>>();
        letters.resize(count * 2, b' ');
        (0..count).fold(self, |page, at| {
            page.word(first + at, u16::from(letters[at * 2]) * 256 + u16::from(letters[at * 2 + 1]))
        })
    }

    /// Sets bytes.
    pub(crate) fn bytes(mut self, at: usize, bytes: &[u8]) -> Self {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Sets the last byte so that all add up to 0.
    pub(crate) fn sealed(mut self) -> Self {
        self.0[511] = 0;
        let sum: u32 = self.0.iter().map(|byte| u32::from(*byte)).sum();
        self.0[511] = ((256 - sum % 256) % 256) as u8;
        self
    }
}
