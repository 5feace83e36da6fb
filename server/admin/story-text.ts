/** One sentence about a payment's money that somebody can read out on the telephone. */
import type { PaymentStatus } from '../contract/payment.ts'
import type { Story } from '../operator/story/story.ts'
import { amount } from './layout.ts'

type StoryTexts = {
  total: string
  held: string
  taken: string
  /** The whole amount, if only a part was taken. */
  paid: string
  returned: string
  disputed: string
  by: string
  on(at: Date | null): string
}

const NOTHING = 'nothing was taken'

/** A status without a sentence does not compile. */
const SENTENCES: Record<PaymentStatus, (words: StoryTexts, story: Story) => string> = {
  created: ({ total, on }, { createdAt }) => `${total} asked for${on(createdAt)}; nothing is paid yet`,
  pending_redirect: ({ total, on }, { createdAt }) =>
    `${total} asked for${on(createdAt)}; nothing is paid yet`,
  pending_payment: ({ total, on }, { createdAt, isUnderWay, approvalStands }) =>
    approvalStands
      ? `${total} asked for${on(createdAt)}; the buyer has approved, and the provider has not let the shop take the money yet`
      : isUnderWay
        ? `${total} asked for${on(createdAt)}; the bank is still working on the payment`
        : `${total} asked for${on(createdAt)}; nothing is paid yet`,
  authorized: ({ held, by, on }, { heldAt }) => `${held} held${on(heldAt)}${by}; nothing is taken yet`,
  paid: ({ paid, by, on }, { takenAt }) => `${paid} paid${on(takenAt)}${by}`,
  partially_refunded: ({ paid, by, on, returned }, { takenAt }) =>
    `${paid} paid${on(takenAt)}${by}; ${returned} returned`,
  refunded: ({ paid, by, on }, { takenAt, returnedAt }) =>
    `${paid} paid${on(takenAt)}${by}; all of it returned${on(returnedAt)}`,
  reversed: ({ total, paid, by, on }, { takenMinor, heldAt, takenAt, returnedAt }) =>
    takenMinor > 0
      ? `${paid} paid${on(takenAt)}${by}; all of it went back through a dispute${on(returnedAt)}`
      : `${total} ${takenAt ? 'paid' : 'held'}${on(heldAt)}${by}; released${on(returnedAt)}, so ${NOTHING}`,
  disputed: ({ paid, by, on, disputed, returned }, { takenAt, returnedMinor }) =>
    `${paid} paid${on(takenAt)}${by}; the buyer disputes ${disputed} at the bank${returnedMinor > 0 ? `, and ${returned} is returned` : ''}`,
  failed: ({ total, by, on }, { changedAt }) => `${total} declined${on(changedAt)}${by}; ${NOTHING}`,
  cancelled: ({ total, on }, { changedAt }) => `${total} cancelled${on(changedAt)}; ${NOTHING}`,
  expired: ({ total, on }, { createdAt, changedAt }) =>
    `${total} asked for${on(createdAt)}, and not paid in time${on(changedAt)}; ${NOTHING}`,
  status_unknown: ({ total, taken, on }, { createdAt, takenMinor }) =>
    takenMinor > 0
      ? `${total} asked for${on(createdAt)}; ${taken} was taken, and a person has to decide what that means`
      : `${total} asked for${on(createdAt)}; it is not known whether money was taken`,
}

/** `45.00 USD paid on 3 March 2026 at 14:02 by card ending 4242; 5.00 USD returned.` The time is the merchant's. */
export function storyText(story: Story): string {
  const { currency, amountMinor, takenMinor, timeZone } = story
  const sum = (minor: number) => amount(minor, currency)
  const date = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'long' })
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'short' })
  const words: StoryTexts = {
    total: sum(amountMinor),
    held: sum(story.heldMinor),
    taken: sum(takenMinor),
    paid: takenMinor < amountMinor ? `${sum(takenMinor)} of ${sum(amountMinor)}` : sum(takenMinor),
    returned: sum(story.returnedMinor),
    disputed: sum(story.disputedMinor),
    by: instrumentText(story.instrument),
    on: (at) => (at ? ` on ${date.format(at)} at ${time.format(at)}` : ''),
  }
  return `${SENTENCES[story.status](words, story)}.`
}

function instrumentText(instrument: Story['instrument']): string {
  if (!instrument) return ''
  const kind = instrument.kind === 'other' ? '' : ` by ${instrument.kind.replace('_', ' ')}`
  return instrument.last4 ? `${kind || ' by card'} ending ${instrument.last4}` : kind
}
