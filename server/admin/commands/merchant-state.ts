/** `merchant pause`, `merchant close` and `merchant resume`. */
import type { Context } from '../../context.ts'
import { changeMerchantState, OPEN_WORDS } from '../../operator/acts/merchant-state.ts'
import { ADMIN, type Live, type Outcome, verb } from '../command.ts'
import { DRY_RUN, rehearsedOutcome } from '../dry-run.ts'
import { MERCHANT, optional } from '../flag.ts'
import { moment, pairs, paragraphs } from '../layout.ts'

const FLAGS = {
  merchant: MERCHANT,
  why: optional('TEXT', 'the reason, for other operators'),
  dryRun: DRY_RUN,
}
type Given = { merchant: string; why: string | undefined; dryRun: boolean }

const UNDER_WAY =
  'Nothing new begins any more: no payment, link, saved card or renewal. What has begun goes on, with its refunds and events.'

export const pause = verb({
  name: 'pause',
  needs: 'operator',
  summary: 'Let no new payment of a merchant begin, for a while',
  flags: FLAGS,
  examples: ['--merchant mer_01...', '--merchant mer_01... --why "the shop moves"'],
  run: (ctx, given, { worlds }) => change(ctx, worlds, { ...given, state: 'paused' }, UNDER_WAY),
})

export const close = verb({
  name: 'close',
  needs: 'operator',
  summary: 'Let no new payment of a merchant begin, for good',
  flags: FLAGS,
  examples: ['--merchant mer_01...', '--merchant mer_01... --why "the contract has ended" --dry-run'],
  run: (ctx, given, { worlds }) => change(ctx, worlds, { ...given, state: 'closed' }, UNDER_WAY),
})

export const resume = verb({
  name: 'resume',
  needs: 'operator',
  summary: 'Let a merchant that was paused or closed take payments again',
  flags: FLAGS,
  examples: ['--merchant mer_01...'],
  run: (ctx, given, { worlds }) =>
    change(
      ctx,
      worlds,
      { ...given, state: 'open' },
      'New payments begin again within a second. Renewals that have waited are charged within the hour.',
    ),
})

async function change(
  ctx: Context,
  worlds: Live['worlds'],
  { merchant: merchantId, ...given }: Given & { state: 'open' | 'paused' | 'closed' },
  meaning: string,
): Promise<Outcome> {
  const { before, after, open } = await changeMerchantState(ctx, worlds, { merchantId, ...given })
  const { state, stoppedAt, stoppedWhy } = after
  const text = paragraphs(
    pairs([
      ['Merchant', merchantId],
      ['Name', after.name],
      ['State', state],
      ['Before', before.state],
      ['Since', stoppedAt && moment(stoppedAt)],
      ['Why', stoppedWhy],
      ['Goes on', open.map(({ world, what, count }) => `${count} ${OPEN_WORDS[what]} (${world})`)],
    ]),
    meaning,
    state !== 'open' && `To take payments again: ${ADMIN} merchant resume --merchant ${merchantId}`,
  )
  const json = { merchantId, name: after.name, state, before: before.state, stoppedAt, stoppedWhy, open }
  return rehearsedOutcome(given.dryRun, { json, text })
}
