/** Counts what each caller has under way at this moment. */

/** Ends one piece of work. */
export type EndWork = () => void

/** The returned function starts a piece of work of this caller. It returns null if the caller has `max` under way already. */
export function createAtOnce(max: number): (caller: string) => EndWork | null {
  const underWay = new Map<string, number>()
  return (caller) => {
    const count = underWay.get(caller) ?? 0
    if (count >= max) return null
    underWay.set(caller, count + 1)
    return () => {
      const left = (underWay.get(caller) ?? 1) - 1
      if (left > 0) underWay.set(caller, left)
      else underWay.delete(caller)
    }
  }
}
