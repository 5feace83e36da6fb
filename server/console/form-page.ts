/** What a form sends is done and leads on, or the form is shown again with the words of why not. */
import type { Act } from '../acts/policy.ts'
import type { Locale } from '../pages/words/locale.ts'
import type { ConsolePage, OwnVisit, Shown } from './page.ts'
import { refusalOf } from './refusals.ts'

/** `send`: does it, and returns the address to go on to. `again`: the screen of the form. */
type Sent = {
  path: string
  needs: Act
  hasFiles?: true
  send(visit: OwnVisit): Promise<string>
  again(visit: OwnVisit, problem?: string): Promise<Shown>
}

export const formPage = ({ send, again, ...address }: Sent): ConsolePage => ({
  ...address,
  method: 'post',
  handle: (visit: OwnVisit) =>
    doOrShowRefusal(
      visit.locale,
      () => send(visit),
      (problem) => again(visit, problem),
    ),
})

/** The screen of the form, too, for the same roles at the same address. */
export const formPages = (sent: Sent): readonly ConsolePage[] => [
  { method: 'get', path: sent.path, needs: sent.needs, handle: (visit) => sent.again(visit) },
  formPage(sent),
]

/** The same for a form that is not always sent. */
export async function doOrShowRefusal(
  locale: Locale,
  act: () => Promise<string>,
  again: (problem: string) => Promise<Shown> | Shown,
): Promise<Shown> {
  try {
    return { kind: 'redirect', to: await act() }
  } catch (error) {
    return again(refusalOf(locale, error))
  }
}
