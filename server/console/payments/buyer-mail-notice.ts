/** What the buyer will be told of an act: whether a mail goes, in which language, and what it says. */
import type { Context } from '../../context.ts'
import { LANGUAGES } from '../../contract/languages.ts'
import { findBrand } from '../../pages/brand/brand.ts'
import { html, type Markup } from '../../pages/html.ts'
import { buyerLocale, type MoneyMailKind, moneyMailWords } from '../../pages/words/buyer-mails.ts'
import { formatAmount } from '../../pages/words/locale.ts'
import { isTaken } from '../../payments/status.ts'
import type { OwnVisit } from '../page.ts'
import { copyText } from '../page-parts.ts'
import { type ConsoleKey, translate, translateAny } from '../words/translate.ts'
import type { ActFacts, ActInput, ActName, PaymentAct } from './acts.ts'

/** The mail that an act leads to. Of what is only held or released, and of receipts, buyers get none. */
const MAILS: Partial<Record<ActName, MoneyMailKind>> = {
  refund: 'refunded',
  returned: 'refunded',
  capture: 'paid',
  confirm: 'paid',
}

export async function buyerMailNotice(
  ctx: Context,
  { locale }: OwnVisit,
  facts: ActFacts,
  { act, given }: { act: PaymentAct; given: ActInput },
): Promise<Markup> {
  const { payment } = facts
  if (act.name === 'receipt' || act.name === 'cancel') return null
  const kind = act.name === 'resolve' ? mailOfDecision(payment, given) : MAILS[act.name]
  if (!kind) return html`<p>${translate(locale, 'buyerHeardNothing')}</p>`
  const language = buyerLocale(payment)
  const brand = await findBrand(ctx, payment.merchantId, language)
  // More than was asked for is not the payment's.
  const moved = Math.min(given.amountMinor, payment.amountMinor)
  const amount = formatAmount(moved, payment.currency, language)
  const { title, text } = moneyMailWords(language, kind, { amount, name: brand.name })
  const email = payment.customer?.email ?? ''
  const key = whyNoMail(ctx, facts) ?? 'buyerTold'
  return html`<p>${translateAny(locale, key, { email, language: LANGUAGES[language].own })}</p>
    ${
      key === 'buyerTold'
        ? html`<blockquote class="quoted" lang=${language}><strong>${title}</strong><br />${text}</blockquote>`
        : copyText(locale, { id: 'buyer-told', lang: language, text: `${title}. ${text}` })
    }`
}

function mailOfDecision(payment: ActFacts['payment'], { as }: ActInput): MoneyMailKind | undefined {
  if (as === 'refunded') return 'refunded'
  // Of money that was taken before the decision the buyer was told then.
  return as === 'paid' && !isTaken(payment) ? 'paid' : undefined
}

/** Null if a mail goes. */
function whyNoMail({ config }: Context, { payment, events }: ActFacts): ConsoleKey | null {
  // An event loses its body only when its buyer is forgotten.
  if (!payment.customer && events.some(({ body }) => body === '')) return 'buyerForgotten'
  if (!config.smtpServer) return 'buyerNoMails'
  return payment.customer?.email ? null : 'buyerNotTold'
}
