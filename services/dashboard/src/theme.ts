import { Anchor, createTheme, type DrawerProps, Input, type ModalProps } from '@mantine/core';

const closeButtonProps = { 'aria-label': 'Close' };
// Named by their types alone: strangers are shown neither, and need not load them.
const modalProps: Partial<ModalProps> = { lockScroll: false, centered: true, closeButtonProps };
const drawerProps: Partial<DrawerProps> = { lockScroll: false, position: 'right', closeButtonProps };

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
    Modal: { defaultProps: modalProps },
    Drawer: { defaultProps: drawerProps },
  },
});
