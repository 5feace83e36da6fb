/**
 * The build replaces @preact/signals-core with this file. @preact/signals needs `computed` only for a signal that is used as text in
 * JSX. The button uses signals only as values, so pages need not load computed signals. If the button used one, the render would throw
 * a TypeError, and every browser test would fail.
 */
export * from '../node_modules/@preact/signals-core/dist/signals-core.mjs'
/** Counts before the one that is exported above. */
export const computed = undefined
