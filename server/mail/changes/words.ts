/** What a language has words for, about changes that people are told of by mail. */
import type { Change } from '../../storage/mails/mail.ts'

/** `shop`: it goes to the owner of a shop. `person`: to somebody who signs in to the console. */
export type Reader = 'shop' | 'person'

/** `{name}` is the shop, or whom the change is about. `ask`: what to do. `why`: to which address the mail was sent. */
export type ChangeWords = {
  changes: Record<Change, { title: string; text: string }>
  ask: Record<Reader, string>
  why: Record<Reader, string>
}
