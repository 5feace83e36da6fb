/**
 * The build replaces preact/hooks with this file. @preact/signals needs hooks only for `useSignal` and similar functions,
 * and for a signal that is used as text in JSX. The button uses neither, so pages need not load the hooks. If the button
 * used one, the first render would throw a TypeError, and every browser test would fail.
 */
export const useEffect = undefined
export const useMemo = undefined
export const useRef = undefined
