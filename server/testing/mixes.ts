import { freshSeed } from './random.ts'

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

/** Returns each `step`th of these orders, and another one in each run, which is printed. */
export function someMixes(all: readonly number[][], step: number): number[][] {
  const fresh = freshSeed() % all.length
  console.info(`Beside each ${step}th order of happenings, this run has number ${fresh}.`)
  return all.filter((_, index) => index % step === 0 || index === fresh)
}
