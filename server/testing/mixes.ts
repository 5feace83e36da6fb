/**
 * Returns every order in which things can happen to one payment. `parts`: how many parts each of them has, which stay in their order. A
 * result lists for each step whose part it is.
 */
export function mixesOf(parts: number[]): number[][] {
  if (parts.every((left) => left === 0)) return [[]]
  return parts.flatMap((left, index) =>
    left === 0 ? [] : mixesOf(parts.with(index, left - 1)).map((rest) => [index, ...rest]),
  )
}
