import {
  Anchor,
  createTheme,
  type DrawerProps,
  defaultVariantColorsResolver,
  Input,
  type ModalProps,
} from '@mantine/core';

const closeButtonProps = { 'aria-label': 'Close' };
// Only the types are imported: a page for somebody not signed in shows neither component and need not load it.
// A click beside a form must not lose what was typed.
const modalProps: Partial<ModalProps> = {
  lockScroll: false,
  centered: true,
  closeOnClickOutside: false,
  closeButtonProps,
};
const drawerProps: Partial<DrawerProps> = { lockScroll: false, position: 'right', closeButtonProps };

/** Colours and sizes are in theme.css, made of the tokens of `@sigcast/look`: the content security policy forbids the style element that Mantine would add. */
export const theme = createTheme({
  primaryColor: 'lime',
  variantColorResolver: (input) => {
    const colors = defaultVariantColorsResolver(input);
    const isPrimary = input.variant === 'filled' && (input.color ?? 'lime') === 'lime';
    return isPrimary ? { ...colors, color: 'var(--accent-ink)' } : colors;
  },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    // Within a sentence, colour alone is not enough to mark a link (WCAG 1.4.1).
    Anchor: Anchor.extend({ defaultProps: { underline: 'always' } }),
    // Optional fields say that they are optional, so required ones need no asterisk.
    InputWrapper: Input.Wrapper.extend({ defaultProps: { withAsterisk: false } }),
    // Mantine locks scrolling by a style element, which is forbidden too; theme.css does it with a selector.
    Modal: { defaultProps: modalProps },
    Drawer: { defaultProps: drawerProps },
    Notification: { defaultProps: { closeButtonProps } },
  },
});
