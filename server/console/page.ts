/** What a page of the console is asked, and what it returns. */
import type { Markup } from '../pages/html.ts'
import type { Locale } from '../pages/words/locale.ts'

export type Visit = {
  params: Record<string, string>
  query: Record<string, string>
  /** The fields of a posted form. */
  form: Record<string, string>
  /** The visitor's IP address. */
  address: string
  /** Where people reach the console. */
  origin: string
  locale: Locale
}

/** `title`: without the name of the console. */
export type Screen = { kind: 'screen'; title: string; body: Markup; status?: number }
export type Shown =
  | Screen
  | { kind: 'redirect'; to: string }
  | { kind: 'json'; body: object; status?: number }

export type ConsolePage = {
  method: 'get' | 'post'
  path: string
  handle(visit: Visit): Promise<Shown>
}
