/** What a simulated provider will do by itself, and when. */

export type Agenda = { at: Date; act(): void }[]

export function plan(agenda: Agenda, now: Date, afterMs: number, act: () => void): void {
  agenda.push({ at: new Date(now.getTime() + afterMs), act })
}

/** Does all that has fallen due, in order, also what that makes due. */
export function runDue(agenda: Agenda, now: () => Date): void {
  for (;;) {
    const [next] = agenda.toSorted((one, other) => one.at.getTime() - other.at.getTime())
    if (!next || next.at > now()) return
    agenda.splice(agenda.indexOf(next), 1)
    next.act()
  }
}
