/**
 * Words of a provider that this version does not know. They change no money. A person learns of them at the payment and at the account,
 * which takes payments as before.
 */

import type { Context } from '../context.ts'
import type { UnknownWord } from '../providers/driver/words.ts'
import type { Account } from '../providers/registry.ts'
import { saveAccountFact } from '../storage/accounts/facts.ts'
import { insertWarningAbout } from '../storage/payments/payment-warnings.ts'
import { recallFacts } from './facts.ts'
import { noteUnwell, recallHealth } from './health.ts'

/** The names of the facts begin so. They are no rights. */
const FACT = 'word: '
/** An account stays unclear for so long after its provider has last used the word. */
const SEEN_LATELY_MS = 24 * 3_600_000
/** At most this many words of one account are stored. */
const WORDS_MAX = 20

/** The log names the account each time, because other payments of it will show the word too. `about`: a payment, or another object. */
export async function noteUnknownWords(
  ctx: Context,
  { id: accountId }: Pick<Account, 'id'>,
  words: readonly UnknownWord[],
  about: string | null,
): Promise<void> {
  const learnedAt = ctx.clock.now()
  for (const { what, word } of words) {
    ctx.log.warn({ accountId, about, what, word }, 'unknown word of a provider')
    const problem = `the provider says "${word}" as ${what}, which this version does not know`
    const detail = `${problem}: look at the provider how the payment stands`
    if (about !== null) await insertWarningAbout(ctx.db, about, { detail, createdAt: learnedAt })
    const name = `${FACT}${what}: ${word}`
    const known = listWords(ctx, accountId)
    if (known.some((each) => each.name === name) || known.length < WORDS_MAX)
      await saveAccountFact(ctx.db, {
        accountId,
        name,
        value: true,
        reason: problem,
        source: 'answer',
        learnedAt,
      })
    const reason = `The provider says "${word}" as ${what}, which this version does not know.`
    if (recallHealth(ctx, accountId).state === 'ok')
      await noteUnwell(ctx, accountId, { state: 'unclear', reason })
  }
}

/** Whether the provider has used such a word in the last day. */
export function hasUnknownWords(ctx: Context, accountId: string): boolean {
  const since = ctx.clock.now().getTime() - SEEN_LATELY_MS
  return listWords(ctx, accountId).some(({ learnedAt }) => learnedAt.getTime() > since)
}

const listWords = (ctx: Context, accountId: string) =>
  [...recallFacts(ctx, accountId).values()].filter(({ name }) => name.startsWith(FACT))
