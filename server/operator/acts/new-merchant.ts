/**
 * Creating a merchant, by a person.
 * Rule: while the world has a limit, one person alone sees no secret that signs events and sets no callback. The first callback makes
 * the secret, and needs a second person.
 */
import type { Context } from '../../context.ts'
import { listLimits } from '../../storage/audit/proposals.ts'
import { doOrPropose } from '../approvals/approvals.ts'
import type { Proposal } from '../approvals/listing.ts'
import { expectNamed } from '../approvals/refusal.ts'
import type { Proposer } from '../approvals/stake.ts'
import { checkNewCallback, createMerchant } from '../create-merchant.ts'

/** `webhookSecret`: null while the world has a limit. `proposed`: the callback that waits for a second person. */
export type NewMerchant = { merchantId: string; webhookSecret: string | null; proposed: Proposal | null }

/** @throws AppError validation_failed */
export async function makeMerchant(
  ctx: Context,
  person: Proposer,
  { name, callbackUrl }: { name: string; callbackUrl?: string | undefined },
): Promise<NewMerchant> {
  if ((await listLimits(ctx.db)).length === 0)
    return { ...(await createMerchant(ctx, { name, callbackUrl })), proposed: null }
  if (callbackUrl !== undefined) {
    checkNewCallback(ctx, callbackUrl)
    // Nobody in particular could not propose the callback afterwards.
    expectNamed(person)
    // Before the shop is stored: a person who is asked for the second factor sends the form again, and that would create a second shop.
    await person.prove?.({ what: 'callback set', world: ctx.world, args: { name, callbackUrl } })
  }
  const { merchantId } = await createMerchant(ctx, { name, hasSecret: false })
  if (callbackUrl === undefined) return { merchantId, webhookSecret: null, proposed: null }
  const { id, name: by } = person
  const decided = await doOrPropose(ctx, { id, name: by }, 'callback set', { merchantId, url: callbackUrl })
  return {
    merchantId,
    webhookSecret: 'done' in decided ? decided.done.webhookSecret : null,
    proposed: 'proposed' in decided ? decided.proposed : null,
  }
}
