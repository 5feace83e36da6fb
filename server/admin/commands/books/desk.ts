/** `desk`: every case that waits for a person. */
import type { CurrencyCode } from '../../../contract/fields.ts'
import type { Advice } from '../../../operator/desk/advice.ts'
import { type CaseDetail, getCase } from '../../../operator/desk/case.ts'
import { CASE_KINDS, type Case, type CaseKind, listDesk } from '../../../operator/desk/desk.ts'
import { ADMIN, type Noun, verb } from '../../command.ts'
import { optional, optionalChoice, pageSize, required, requiredChoice } from '../../flag.ts'
import { amount, counted, duration, moment, pairs, paragraphs } from '../../layout.ts'

/** What each kind of case is called, and the command that goes on with it. */
const KINDS: Record<CaseKind, { title: string; next(found: Case): string }> = {
  undecided: {
    title: 'payment with an unknown outcome',
    next: ({ subject }) => `payment resolve --payment ${subject} --as paid --why "..."`,
  },
  disputed: { title: 'payment that is disputed', next: ({ subject }) => `payment show --payment ${subject}` },
  operation: {
    title: 'operation with an unknown outcome',
    next: ({ subject }) => `operation show --operation ${subject}`,
  },
  receipt: {
    title: 'fiscal receipt that failed or is unclear',
    next: ({ subject }) => `receipt resolve --receipt ${subject} --as issued --number N --why "..."`,
  },
  warning: { title: 'payment with a warning', next: ({ subject }) => `payment show --payment ${subject}` },
  refund_limit: {
    title: 'token that has reached its refund limit',
    next: ({ subject }) => `desk settle --token ${subject} --why "..."`,
  },
  difference: {
    title: 'difference between a statement and the books',
    next: ({ accountId }) => `reconcile list --account ${accountId}`,
  },
  callback_paused: {
    title: 'callback URL that is paused',
    next: ({ subject }) => `callback show --merchant ${subject}`,
  },
  events_given_up: {
    title: 'events that are not sent any more',
    next: ({ subject }) => `event list --merchant ${subject} --state exhausted`,
  },
  account: {
    title: 'provider account that cannot be used',
    next: ({ subject }) => `account test --account ${subject}`,
  },
  approval: {
    title: 'act that waits for a second person',
    next: ({ subject }) => `approval grant --approval ${subject}`,
  },
  restore: { title: 'restore that is not finished', next: () => 'restore show' },
}

const list = verb({
  name: 'list',
  needs: 'viewer',
  summary: 'List every case that waits for a person, page by page',
  flags: {
    merchant: optional('ID', 'only cases of this merchant'),
    kind: optionalChoice('KIND', 'only cases of this kind', CASE_KINDS),
    limit: pageSize('case'),
    after: optional('POSITION', 'where the previous page ended'),
  },
  examples: ['', '--kind undecided', '--merchant mer_01... --limit 100'],
  async run(ctx, { merchant: merchantId, ...given }) {
    const { cases, next } = await listDesk(ctx, { merchantId, ...given })
    const shown = cases.map((each) => ({ ...each, next: `${ADMIN} ${KINDS[each.kind].next(each)}` }))
    return {
      json: { cases: shown, next },
      text: paragraphs(
        ...shown.map(caseText),
        shown.length > 0 || next ? counted(shown.length, 'case') : 'Nothing waits for a person.',
        next && `More: ${ADMIN} desk list --after "${next}"`,
      ),
    }
  },
})

function caseText({
  kind,
  subject,
  merchantId,
  merchantName,
  paymentId,
  since,
  ageSeconds,
  next,
  ...found
}: Case & { next: string }): string {
  const sum =
    found.amountMinor && found.currency ? amount(found.amountMinor, found.currency as CurrencyCode) : null
  return pairs([
    [KINDS[kind].title, subject],
    ['Waits', `${duration(ageSeconds * 1000)}, since ${moment(since)}`],
    ['Money', sum],
    ['Merchant', merchantId && `${merchantName}  ${merchantId}`],
    ['Payment', paymentId === subject ? null : paymentId],
    ['What', found.what],
    ['Go on', next],
  ])
}

const ADVICE: Record<Advice, string> = {
  part_was_taken:
    'Only {taken} of {asked} was taken. Return it, or ask the buyer for the rest. To decide that it is paid means that the shop accepts less.',
  money_was_taken: 'The provider has reported that it took the money, so most likely it was paid.',
  provider_does_not_answer: 'The provider does not answer. Wait, and ask it again.',
  ask_provider_again: 'Ask the provider once more. If it does not know, decide what its own records show.',
  look_at_bank: "Look into the bank's statement. If the money is there, it was paid.",
  answer_dispute: 'Answer the dispute at the provider before its time is over.',
  look_in_provider_records: "Look for it in the provider's own records.",
  print_again: 'Print it again. If it was printed by hand meanwhile, give the number.',
  look_on_roll: 'Look on the roll of the register. Only if it is not there may it be printed again.',
  look_at_payment: 'Look at the payment. If money came twice, return it. Then settle the warning.',
  look_at_token:
    'Look at the payment, and ask the shop whether it wanted these refunds. If it did, raise the limit of the token. If not, revoke the token.',
  compare_with_provider: 'Compare the payment with what the provider shows.',
  ask_for_movement: 'Ask the provider for this movement.',
  find_owner: 'Look for this money at the provider. Another system may use the account.',
  mend_receiver:
    "Tell the shop's programmer what the last answer was. When it is mended, send one event again.",
  send_again: 'When the shop accepts events again, send those of these days again.',
  test_account: 'Test the account. The test says what is wrong.',
  ask_second_person: 'Somebody who has not proposed it must grant or refuse it.',
  wait_for_restore: 'It ends by itself when every provider was asked.',
}

function adviceText({ advice, timeline }: CaseDetail): string {
  if (!timeline) return ADVICE[advice]
  const { capturedMinor, amountMinor, currency } = timeline.payment
  const sums = { taken: amount(capturedMinor, currency), asked: amount(amountMinor, currency) }
  return ADVICE[advice].replace(/\{(taken|asked)\}/g, (_, name: keyof typeof sums) => sums[name])
}

const show = verb({
  name: 'show',
  needs: 'viewer',
  summary: 'Show a case, and what is recommended',
  flags: {
    kind: requiredChoice('KIND', 'the kind of the case', CASE_KINDS),
    id: required('ID', 'the id of the case, as the list shows it'),
    account: optional('ID', 'the account of a difference'),
  },
  examples: [
    '--kind undecided --id pay_01...',
    '--kind difference --id "pay_01.../1 taken" --account acc_01...',
  ],
  async run(ctx, { kind, id: subject, account: accountId = null }) {
    const detail = await getCase(ctx, { kind, subject, accountId, merchantId: null })
    const { found, advice, choices } = detail
    const { position: _position, ...rest } = found
    const ageSeconds = Math.round((ctx.clock.now().getTime() - found.since.getTime()) / 1000)
    const shown = { ...rest, ageSeconds, next: `${ADMIN} ${KINDS[kind].next({ ...rest, ageSeconds })}` }
    return {
      json: { case: shown, advice, choices },
      text: paragraphs(caseText(shown), adviceText(detail)),
    }
  },
})

export const desk: Noun = {
  name: 'desk',
  summary: 'List what waits for a person',
  verbs: [list, show],
  plain: 'list',
}
