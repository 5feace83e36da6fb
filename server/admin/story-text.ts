/** One sentence about a payment's money that somebody can read out on the telephone. */
import type { PaymentStatus } from '../contract/payment.ts'
import type { Story } from '../operator/story/story.ts'
import { amount } from './layout.ts'

type StoryTexts = {
  asked: string
  held: string
  taken: string
  /** Of how much, if not all was taken. */
  paid: string
  returned: string
  disputed: string
  by: string
  on(at: Date | null): string
}

const NOTHING = 'nothing was taken'

/** A status without a sentence does not compile. */
const SENTENCES: Record<PaymentStatus, (words: StoryTexts, story: Story) => string> = {
  created: ({ asked, on }, { askedAt }) => `${asked} asked for${on(askedAt)}; nothing is paid yet`,
  pending_redirect: ({ asked, on }, { askedAt }) => `${asked} asked for${on(askedAt)}; nothing is paid yet`,
  pending_payment: ({ asked, on }, { askedAt, isUnderWay, approvalStands }) =>
    approvalStands
      ? `${asked} asked for${on(askedAt)}; the buyer has approved, and the provider has not let the shop take the money yet`
      : isUnderWay
        ? `${asked} asked for${on(askedAt)}; the bank is still working on the payment`
        : `${asked} asked for${on(askedAt)}; nothing is paid yet`,
  authorized: ({ held, by, on }, { heldAt }) => `${held} held${on(heldAt)}${by}; nothing is taken yet`,
  paid: ({ paid, by, on }, { takenAt }) => `${paid} paid${on(takenAt)}${by}`,
  partially_refunded: ({ paid, by, on, returned }, { takenAt }) =>
    `${paid} paid${on(takenAt)}${by}; ${returned} returned`,
  refunded: ({ paid, by, on }, { takenAt, returnedAt }) =>
    `${paid} paid${on(takenAt)}${by}; all of it returned${on(returnedAt)}`,
  reversed: ({ asked, paid, by, on }, { takenMinor, heldAt, takenAt, returnedAt }) =>
    takenMinor > 0
      ? `${paid} paid${on(takenAt)}${by}; all of it went back through a dispute${on(returnedAt)}`
      : `${asked} ${takenAt ? 'paid' : 'held'}${on(heldAt)}${by}; released${on(returnedAt)}, so ${NOTHING}`,
  disputed: ({ paid, by, on, disputed, returned }, { takenAt, returnedMinor }) =>
    `${paid} paid${on(takenAt)}${by}; the buyer disputes ${disputed} at the bank${returnedMinor > 0 ? `, and ${returned} is returned` : ''}`,
  failed: ({ asked, by, on }, { changedAt }) => `${asked} declined${on(changedAt)}${by}; ${NOTHING}`,
  cancelled: ({ asked, on }, { changedAt }) => `${asked} cancelled${on(changedAt)}; ${NOTHING}`,
  expired: ({ asked, on }, { askedAt, changedAt }) =>
    `${asked} asked for${on(askedAt)}, and not paid in time${on(changedAt)}; ${NOTHING}`,
  status_unknown: ({ asked, taken, on }, { askedAt, takenMinor }) =>
    takenMinor > 0
      ? `${asked} asked for${on(askedAt)}; ${taken} was taken, and a person has to decide what that means`
      : `${asked} asked for${on(askedAt)}; it is not known whether money was taken`,
}

/** `45.00 USD paid on 3 March 2026 at 14:02 by card ending 4242; 5.00 USD returned.` The time is the merchant's. */
export function storyText(story: Story): string {
  const { currency, askedMinor, takenMinor, timeZone } = story
  const sum = (minor: number) => amount(minor, currency)
  const date = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'long' })
  const time = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'short' })
  const words: StoryTexts = {
    asked: sum(askedMinor),
    held: sum(story.heldMinor),
    taken: sum(takenMinor),
    paid: takenMinor < askedMinor ? `${sum(takenMinor)} of ${sum(askedMinor)}` : sum(takenMinor),
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
