/**
 * The build puts this file in the place of preact/hooks. @preact/signals needs hooks only for `useSignal` and its kin,
 * and for a signal that stands in JSX as text. The button uses neither, and its page need not load them.
 * Whoever uses one all the same gets a TypeError at the first render, and every browser test fails.
 */
export const useEffect = undefined
export const useMemo = undefined
export const useRef = undefined
