import { Anchor, createTheme, Drawer, Input, Modal } from '@mantine/core';

const closeButtonProps = { 'aria-label': 'Close' };

/** Colours and sizes are in theme.css: the page's policy forbids the style element that a theme would add. */
export const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Within a sentence, colour alone does not tell a link (WCAG 1.4.1).
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    // What may be left out says so; the rest needs no sign.
    InputWrapper: Input.Wrapper.extend({ defaultProps: { withAsterisk: false } }),
    // Locking by a style element is forbidden too; theme.css does it with a selector.
    Modal: Modal.extend({ defaultProps: { lockScroll: false, centered: true, closeButtonProps } }),
    Drawer: Drawer.extend({ defaultProps: { lockScroll: false, position: 'right', closeButtonProps } }),
  },
});
