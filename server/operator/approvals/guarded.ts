/** The acts that may need a second person: what is at stake, what that person reads, and how each is carried out. */
import { GUARDED_ROWS } from '../../acts/guarded.ts'
import type { SecondPersonAct } from '../../acts/policy.ts'
import { BANK_ACCOUNT, bankAccount } from './bank-account.ts'
import { PUBLIC_NAME, publicName } from './public-name.ts'

/** `user remove` needs no second person any more, but earlier versions have stored proposals of it. */
export const GUARDED = {
  ...GUARDED_ROWS,
  [BANK_ACCOUNT]: bankAccount,
  [PUBLIC_NAME]: publicName,
} satisfies Record<SecondPersonAct | 'user remove', object>

export type GuardedName = keyof typeof GUARDED
export type ArgsOf<Name extends GuardedName> = Parameters<(typeof GUARDED)[Name]['run']>[1]
export type ResultOf<Name extends GuardedName> = Awaited<ReturnType<(typeof GUARDED)[Name]['run']>>
