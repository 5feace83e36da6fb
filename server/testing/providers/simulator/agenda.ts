/** What a simulated provider will do on its own, and when. */

export type Agenda = { at: Date; act(): void }[]

export function plan(agenda: Agenda, now: Date, afterMs: number, act: () => void): void {
  agenda.push({ at: new Date(now.getTime() + afterMs), act })
}

/** Does everything that is due, in order, including what becomes due by it. */
export function runDue(agenda: Agenda, now: () => Date): void {
  for (;;) {
    const [next] = agenda.toSorted((one, other) => one.at.getTime() - other.at.getTime())
    if (!next || next.at > now()) return
    agenda.splice(agenda.indexOf(next), 1)
    next.act()
  }
}
