/** What each side says about a case: our books, and whoever else knows. */
import type { PaymentStatus } from '../../contract/payment.ts'
import { shortNumber } from '../../id.ts'
import type { CaseDetail } from '../../operator/desk/case.ts'
import type { Timeline } from '../../operator/payment-timeline.ts'
import { html, type Markup } from '../../pages/html.ts'
import { formatAmount, type Locale } from '../../pages/words/locale.ts'
import type { AttemptFacts } from '../../payments/attempts/attempt.ts'
import type { OwnVisit } from '../page.ts'
import { type FactLine, factList, momentText, statedText, sumText } from '../parts.ts'
import { DIGEST_SHOWN } from '../statements/files.ts'
import { type ConsoleKey, translate, translateAny } from '../words/translate.ts'
import type { View } from '../world.ts'

const BODY_CHARS_MAX = 2_000

type Sides = { ours: FactLine[]; theirs: FactLine[] }

export function evidenceOf(visit: OwnVisit, view: View, detail: CaseDetail): Markup {
  const { locale, user } = visit
  const { ours, theirs } = sidesOf(visit, view, detail)
  const side = (title: ConsoleKey, lines: FactLine[]) =>
    lines.length === 0
      ? null
      : html`<section><h2>${translateAny(locale, title)}</h2>${factList(lines)}</section>`
  // What was said with the provider may concern its contract, which is not a shop's own.
  const exchange = user.merchantId === null ? lastExchange(visit, detail) : null
  return html`<div class="sides">${side('ourSide', ours)}${side('theirSide', theirs)}</div>${exchange}`
}

function sidesOf(visit: OwnVisit, view: View, detail: CaseDetail): Sides {
  const { locale } = visit
  const { timeline, receipt, finding } = detail
  const at = (moment: Date | string | null) => momentText(moment, locale, view.timeZone)
  if (receipt)
    return {
      ours: [
        [translate(locale, 'receiptOf'), translate(locale, `receipt_${receipt.kind}`)],
        [translate(locale, 'receiptSum'), formatAmount(receipt.amountMinor, receipt.currency, locale)],
        [translate(locale, 'receiptAsked'), at(receipt.createdAt)],
      ],
      theirs: [
        [translate(locale, 'register'), receipt.register],
        [
          translate(locale, 'outcome'),
          translate(locale, `receipt_${receipt.status as 'failed' | 'unclear'}`),
        ],
        [translate(locale, 'saidReason'), receipt.statusReason],
        [translate(locale, 'lastTry'), at(receipt.sentAt)],
      ],
    }
  if (finding)
    return {
      ours: [
        [translate(locale, `side_${finding.side}`), statedText(finding.oursMinor, finding.currency, locale)],
        [translate(locale, 'paymentId'), finding.paymentId],
      ],
      theirs: [
        [
          translate(locale, `side_${finding.side}`),
          statedText(finding.theirsMinor, finding.theirCurrency, locale),
        ],
        [translate(locale, 'fileDigest'), finding.statementFile?.slice(0, DIGEST_SHOWN) ?? null],
        [
          translate(locale, 'statementLine'),
          finding.statementLine === null ? finding.lineId : String(finding.statementLine),
        ],
        [translate(locale, 'statementDay'), at(finding.statementDay)],
        [translate(locale, 'foundAt'), at(finding.foundAt)],
      ],
    }
  if (timeline) return ofPayment(visit, view, detail)
  return ofParts(visit, view, detail)
}

/** What is no payment's. */
function ofParts({ locale }: OwnVisit, { timeZone }: View, { found, account, receiver }: CaseDetail): Sides {
  const at = (moment: Date | string | null) => momentText(moment, locale, timeZone)
  if (account)
    return {
      ours: [
        [translate(locale, 'account'), account.accountId],
        [translate(locale, 'route'), `${account.route}, ${account.driver}`],
        [translate(locale, 'merchant'), found.merchantName],
      ],
      theirs: [
        [translate(locale, 'health'), translate(locale, `health_${account.health.state}`)],
        [translate(locale, 'since'), at(account.health.since)],
        [translate(locale, 'saidReason'), account.health.reason],
      ],
    }
  if (receiver)
    return {
      ours: [
        [translate(locale, 'eventsWaiting'), String(receiver.waiting)],
        [translate(locale, 'eventsGivenUp'), String(receiver.givenUp)],
      ],
      theirs: [
        [translate(locale, 'receiverFailures'), receiver.receiver && String(receiver.receiver.failures)],
        [translate(locale, 'since'), at(receiver.receiver?.failingSince ?? null)],
        [
          translate(locale, 'lastAnswer'),
          receiver.lastFailure && (receiver.lastFailure.failure ?? String(receiver.lastFailure.statusCode)),
        ],
      ],
    }
  return { ours: [[translate(locale, 'since'), at(found.since)]], theirs: [] }
}

function ofPayment({ locale }: OwnVisit, { timeZone }: View, detail: CaseDetail): Sides {
  const { timeline, operation } = detail
  if (!timeline) return { ours: [], theirs: [] }
  const { payment, changes, merchantName } = timeline
  const { currency } = payment
  const sum = (minor: number) => sumText(minor, currency, locale)
  const at = (moment: Date | string | null) => momentText(moment, locale, timeZone)
  const last = changes.at(-1)
  const openOperation = operation?.operation
  return {
    ours: [
      [translate(locale, 'status'), translate(locale, `status_${payment.status as PaymentStatus}`)],
      ...(openOperation
        ? ([
            [
              translate(locale, `act_${actKey(openOperation.type)}`),
              sumText(openOperation.amountMinor, currency, locale) ?? '',
            ],
            [translate(locale, 'sentAt'), at(openOperation.sentAt)],
            [translate(locale, 'saidReason'), openOperation.statusReason],
          ] as FactLine[])
        : []),
      [translate(locale, 'asked'), sum(payment.amountMinor)],
      [translate(locale, 'taken'), sum(payment.capturedMinor)],
      [translate(locale, 'returned'), sum(payment.refundedMinor)],
      [translate(locale, 'order'), payment.merchantOrderId],
      [translate(locale, 'merchant'), merchantName],
      [
        translate(locale, 'lastChange'),
        last ? [at(last.createdAt), last.actor ?? last.cause, last.detail].filter(Boolean).join(' · ') : null,
      ],
      [translate(locale, 'paymentNumber'), shortNumber(payment.id)],
    ],
    theirs: providerFacts(locale, timeline, { sum, at }),
  }
}

type Texts = { sum(minor: number): string | null; at(moment: Date | string | null): string | null }

/** What the provider has reported of the payment. */
function providerFacts(
  locale: Locale,
  { payment, exchanges, entries }: Timeline,
  { sum, at }: Texts,
): FactLine[] {
  const { attempt } = payment
  const facts = attempt.facts as AttemptFacts | null
  const exchange = exchanges.at(-1)
  return [
    [translate(locale, 'account'), `${attempt.provider} · ${attempt.accountId}`],
    [translate(locale, 'ourNumberThere'), attempt.reference],
    [translate(locale, 'theirNumber'), facts?.providerTransactionId ?? null],
    [translate(locale, 'approvalCode'), facts?.approvalCode ?? null],
    [translate(locale, 'disputedSum'), attempt.disputedMinor > 0 ? sum(attempt.disputedMinor) : null],
    [translate(locale, 'answerUntil'), at(facts?.dispute?.answerBy ?? null)],
    [translate(locale, 'lastAsked'), at(exchange?.createdAt ?? null)],
    [
      translate(locale, 'lastAnswer'),
      exchange ? (exchange.failure ?? String(exchange.status)) : translate(locale, 'neverAsked'),
    ],
    ...entries.map(
      (entry): FactLine => [
        translate(locale, `entry_${entry.kind}`),
        `${formatAmount(entry.amountMinor, entry.currency, locale)}, ${at(entry.movedAt ?? entry.createdAt)}`,
      ],
    ),
  ]
}

const ACTS = ['refund', 'capture', 'void'] as const
const actKey = (type: string) => ACTS.find((each) => each === type) ?? 'other'

/** The last thing that was said between us and the provider, without secrets, as the log keeps it. */
function lastExchange({ locale }: OwnVisit, { timeline }: CaseDetail): Markup {
  const last = timeline?.exchanges.at(-1)
  if (!last?.responseBody) return null
  return html`<details>
    <summary>${translate(locale, 'whatWasSaid')}</summary>
    <pre class="said" tabindex="0">${`${last.method} ${last.url}\n\n${last.responseBody.slice(0, BODY_CHARS_MAX)}`}</pre>
  </details>`
}
