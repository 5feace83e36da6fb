/** What a page of the console is asked, and what it returns. */
import type { Cookies } from '../access/devices.ts'
import type { Act } from '../acts/policy.ts'
import type { ConfirmPerson, OneAct } from '../audit/people.ts'
import type { Context, Worlds } from '../context.ts'
import type { PersonWork } from '../http/pages/person-work.ts'
import type { Markup } from '../pages/html.ts'
import type { Locale } from '../pages/words/locale.ts'
import type { UserRecord } from '../storage/access/users.ts'
import type { Cookie } from './cookies.ts'
import type { ConsoleVisitor } from './menu.ts'
import type { AutomaticLook, Refreshing } from './refresh.ts'

export type Visit = {
  /** The deployment's own world. */
  ctx: Context
  worlds: Worlds
  params: Record<string, string>
  query: Record<string, string>
  /** The fields of a posted form. */
  form: Record<string, string>
  /** Returns the chosen file of a field of a posted form. @throws AppError validation_failed for a file that is too long */
  file(name: string): Buffer | undefined
  /** The fields of the form with a chosen file. */
  chosen: readonly string[]
  /** The secret of a sign-in that has begun. */
  step: string | undefined
  session: string | undefined
  cookies: Cookies
  /** The visitor's IP address, and the network of its neighbours. */
  address: string
  network: string
  /** Is aborted when the visitor does not wait for the page any more. */
  gone: AbortSignal
  /** Where people reach the console. */
  origin: string
  locale: Locale
  /** Null if a person has asked for the page. */
  look: AutomaticLook | null
  /** The page stores here the time zone of its days and times. The frame names it on the page. */
  shown: { timeZone?: string }
}
/** A visit of somebody who is signed in. */
/** `prove`: the verbs ask for it where an act is above a limit. */
export type OwnVisit = Visit & {
  user: UserRecord & { prove: ConfirmPerson }
  session: string
  /** Whether the person has shown the second factor for acts of this kind, so that none of them asks now. */
  isProved(act: OneAct): boolean
}

/** `title`: without the name of the console. `around`: what is around it for somebody who is signed in. */
export type Screen = {
  kind: 'screen'
  title: string
  body: Markup
  status?: number
  cookies?: readonly Cookie[]
  around?: ConsoleVisitor
  /** The visitor waits for something on it. */
  refreshing?: Refreshing
}
export type Shown =
  | Screen
  | { kind: 'redirect'; to: string; cookies?: readonly Cookie[] }
  | { kind: 'json'; body: object; cookies?: readonly Cookie[] }
  /** A file that the browser keeps. It is sent part by part, so it may be of any length. */
  | { kind: 'file'; name: string; type: string; text: AsyncIterable<string> }
  /** The browser waits for a change, and nothing has changed. */
  | { kind: 'same' }
  /** The browser asks for the same address again, as a page of the console. */
  | { kind: 'again' }

/** `hasFiles`: its form may carry pictures. It is read only after the visitor's role was checked. */
type Address = PersonWork & { method: 'get' | 'post'; path: string }
/** `needs`: the act that the visitor's role must allow, or only a session. */
export type ConsolePage = Address &
  (
    | { needs: 'nobody'; handle(visit: Visit): Promise<Shown> }
    | { needs: 'session' | Act; handle(visit: OwnVisit): Promise<Shown> }
  )

export const SESSION = 'session'
export const STEP = 'step'

/** Returns an address of the console to go on to, or the start for any other text. */
export function ownPath(text: string | undefined): string {
  return text !== undefined && /^\/(?![/\\])[\w\-./?=&%:+,~]{0,1500}$/.test(text) ? text : '/'
}
