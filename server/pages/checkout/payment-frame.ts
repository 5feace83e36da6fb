/** The slip: the frame that all pages of a payment share. It shows the payee, the status, the amount and the purpose. */

import type { CurrencyCode } from '../../contract/fields.ts'
import type { FiscalStatus, PaymentStatus } from '../../contract/payment.ts'
import { shortNumber } from '../../id.ts'
import { type PlainKey, translate } from '../../messages/translate.ts'
import type { LeadsTo } from '../../payments/creation/route-choice.ts'
import type { Brand, ShownPicture } from '../brand/brand.ts'
import { shopContact, shopHead } from '../brand/marks.ts'
import { html, type Markup } from '../html.ts'
import { toneIcon } from '../icon.ts'
import type { Page } from '../page.ts'
import { ownOrWebAddress, webAddress } from '../web-address.ts'
import { formatAmount, formatMoment, type Locale } from '../words/locale.ts'
import { CHOOSE, type StatusContent } from './status-content.ts'

/** What every page of a payment shows. An offer has no payment yet. Times are ISO 8601. */
export type PaymentFacts = {
  locale: Locale
  merchantName: string
  /** How the merchant looks, and the contact. */
  brand?: Brand
  merchantOrderId?: string
  description?: string
  /** The product, if it has more to show than its name. */
  product?: { text?: string; picture?: ShownPicture }
  /** The picture of a preview, with its absolute address. */
  image?: string
  amountMinor: number
  /** What the buyer comes to next, as long as nothing is paid. */
  leadsTo?: LeadsTo
  /** The captured amount. After a partial capture it is less than the amount. */
  takenMinor?: number
  currency: CurrencyCode
  status?: PaymentStatus
  /** Shown while the payment can still be made. */
  expiresAt?: string
  /** Shown once there can be questions about the payment. */
  paymentId?: string
  paidAt?: string
  /** The page of the receipt, once money was taken. */
  receiptAddress?: string
  refundedMinor?: number
  fiscalStatus?: FiscalStatus
}

const FACT_LINE_CHARS = 30
/** References have a wider font, and break within a word. */
const REFERENCE_LINE_CHARS = 22
const AMOUNT_LINE_CHARS = 10

const FISCAL_TEXTS: Record<FiscalStatus, PlainKey | undefined> = {
  not_required: undefined,
  pending: 'pages.fiscalPending',
  issued: 'pages.fiscalIssued',
  failed: 'pages.fiscalCorrection',
  refunded: 'pages.fiscalRefunded',
  partially_refunded: 'pages.fiscalRefunded',
  correction_required: 'pages.fiscalCorrection',
}

/**
 * The state comes first, then the action, then the rest: a phone must show the action without scrolling. `action`: what the buyer can do
 * now. `below` is shown after the facts. The product is the heading until somebody has paid or failed to.
 */
export function slip(
  facts: PaymentFacts,
  content: StatusContent,
  { testId, action, below = [] }: { testId: string; action: Markup[]; below?: Markup[] },
): Markup {
  const { locale, merchantName, product } = facts
  return html`<div class="sheet">
    ${shopHead({ name: merchantName, ...(facts.brand?.logo && { logo: facts.brand.logo }) }, translate(locale, 'pages.merchant'))}
    <main class=${product?.picture ? 'slip pictured' : 'slip'} data-tone=${content.tone} data-status=${facts.status} data-testid=${testId}>
      ${product?.picture ? html`<img class="product-picture" src=${product.picture.address} width=${product.picture.width} height=${product.picture.height} alt="" data-testid="picture" />` : null}
      <div class="slip-head">${headOf(facts, content)}</div>
      <div class="action">${action}</div>
      <div class="rest">
        ${content.next ? html`<ul class="next">${content.next.map((key) => html`<li>${translate(locale, key)}</li>`)}</ul>` : null}
        ${product?.text ? html`<p class="product-text">${product.text}</p>` : null}
        ${factList(facts, content)}
        ${below}
      </div>
    </main>
    ${shopContact(locale, facts.brand)}
  </div>`
}

function headOf(facts: PaymentFacts, content: StatusContent): Markup {
  const { locale, description } = facts
  const amount = takenOf(facts)
  const isOpen = content.tone === 'open'
  const isNamed = isOpen && description !== undefined
  return html`<span class="disc">${toneIcon(content.tone)}</span>
    <h1>${isNamed ? html`<bdi>${description}</bdi>` : translate(locale, content.title)}</h1>
    ${isNamed ? html`<p class="label">${translate(locale, content.title)}</p>` : null}
    ${content === CHOOSE ? null : html`<p class=${amount.length > AMOUNT_LINE_CHARS ? 'amount long' : 'amount'} data-testid="amount">${amount}</p>`}
    ${ofOrder(facts)}
    ${isOpen ? null : html`<p class="lead">${leadOf(facts, content)}</p>`}` as Markup
}

/** The same texts for a wallet, which has no page of a bank. */
const IN_WALLET = {
  'pages.pendingText': 'pages.pendingWalletText',
  'pages.continueAtBank': 'pages.continueInWallet',
} as const
type InWallet = (typeof IN_WALLET)[keyof typeof IN_WALLET]

const isOfBank = (key: string): key is keyof typeof IN_WALLET => key in IN_WALLET

/** Returns the text for what this buyer comes to. */
export function wordedFor<Key extends string>(
  { leadsTo }: Pick<PaymentFacts, 'leadsTo'>,
  key: Key,
): Key | InWallet {
  return leadsTo === 'wallet' && isOfBank(key) ? IN_WALLET[key] : key
}

function leadOf(facts: PaymentFacts, { text }: StatusContent): string {
  const { locale, refundedMinor, currency } = facts
  return translate(locale, wordedFor(facts, text), {
    refunded: formatAmount(refundedMinor ?? 0, currency, locale),
  })
}

/** Only buyers who go on to a provider of cards read that a bank's page comes next. */
const NOTES: Record<LeadsTo, PlainKey> = {
  provider: 'pages.openText',
  wallet: 'pages.openWalletText',
  transfer: 'pages.openTransferText',
  told: 'pages.openToldText',
  choice: 'pages.openChoiceText',
}

/** An open payment shows these below its control. Other states show theirs above it. */
export function note(facts: PaymentFacts, content: StatusContent): Markup {
  if (content.tone !== 'open') return null
  const isUsual = content.text === 'pages.openText'
  const text = isUsual ? translate(facts.locale, NOTES[facts.leadsTo ?? 'provider']) : leadOf(facts, content)
  return html`<p class="note">${text}</p>`
}

/** Going back does not change the payment, so every state offers it. `isMain`: it is the only link. */
export function wayBack(locale: Locale, returnUrl: string | undefined, isMain: boolean): Markup {
  const back = webAddress(returnUrl)
  return back === undefined
    ? null
    : html`<a class=${isMain ? 'button' : 'way'} href=${back} data-testid="back">${translate(locale, 'pages.backToShop')}</a>`
}

/** The link to the receipt, for payments that have one. */
export function wayToReceipt(locale: Locale, address: string | undefined): Markup {
  const url = address && ownOrWebAddress(`${address}?${new URLSearchParams({ locale })}`)
  return url
    ? html`<a class="way" href=${url} data-testid="receipt">${translate(locale, 'pages.receiptWay')}</a>`
    : null
}

/** What a messenger shows for a shared address: the purpose, the amount and the shop. It does not show the payment's status. */
export function previewOf(facts: PaymentFacts): NonNullable<Page['preview']> {
  const { description, merchantName } = facts
  const amount = amountOf(facts)
  return {
    title: description ? `${description} · ${amount}` : amount,
    text: translate(facts.locale, 'pages.previewText', { amount, name: merchantName }),
    site: merchantName,
    ...(facts.image && { image: facts.image }),
  }
}

export function amountOf({ amountMinor, currency, locale }: PaymentFacts): string {
  return formatAmount(amountMinor, currency, locale)
}

/** Returns what was taken, or the amount to pay as long as nothing was. */
export function takenOf({ amountMinor, takenMinor, currency, locale }: PaymentFacts): string {
  return formatAmount(takenMinor ?? amountMinor, currency, locale)
}

/** The whole amount, if only a part of it was taken. */
export function ofOrder(facts: PaymentFacts): Markup {
  const { takenMinor, amountMinor, locale } = facts
  if (takenMinor === undefined || takenMinor === amountMinor) return null
  return html`<p class="note" data-testid="of-order">${translate(locale, 'pages.ofOrder', { amount: amountOf(facts) })}</p>`
}

function factList(facts: PaymentFacts, content: StatusContent): Markup {
  const { locale, currency, description, status, refundedMinor } = facts
  const timeZone = facts.brand?.timeZone
  const payBefore =
    content.control && facts.expiresAt ? formatMoment(facts.expiresAt, locale, { timeZone }) : undefined
  const paidAt = facts.paidAt ? formatMoment(facts.paidAt, locale, { year: true, timeZone }) : undefined
  const order = orderOf(facts)
  const fiscal = FISCAL_TEXTS[facts.fiscalStatus ?? 'not_required']
  const rows = [
    content.tone !== 'open' && description && fact(translate(locale, 'pages.purpose'), description),
    order && fact(translate(locale, 'pages.order'), order, 'reference'),
    payBefore && fact(translate(locale, 'pages.payBefore'), payBefore),
    paidAt && fact(translate(locale, status === 'authorized' ? 'pages.reservedAt' : 'pages.paidAt'), paidAt),
    refundedMinor &&
      fact(translate(locale, 'pages.refundedAmount'), formatAmount(refundedMinor, currency, locale)),
    fiscal && fact(translate(locale, 'pages.fiscal'), translate(locale, fiscal)),
    content.tone !== 'open' &&
      facts.paymentId &&
      fact(translate(locale, 'pages.paymentId'), facts.paymentId, 'payment-id'),
  ]
  return html`<dl class="facts">${rows.map((row) => row || null)}</dl>`
}

/** Returns the shop's own reference if a buyer can recognize it, else the short number of the payment. */
export function orderOf({
  merchantOrderId,
  paymentId,
}: Pick<PaymentFacts, 'merchantOrderId' | 'paymentId'>): string | undefined {
  return isReadable(merchantOrderId) ? merchantOrderId : paymentId && shortNumber(paymentId)
}

/** A generated reference means nothing to a buyer. */
const isReadable = (reference: string | undefined) =>
  reference !== undefined && !/^(?:wgt|lnk)_/.test(reference)

/** A long text is on its own line below its label. `bdi` keeps its direction from reordering the page. */
export function fact(label: string, text: string, kind?: 'reference' | 'payment-id'): Markup {
  const isLong = text.length > (kind ? REFERENCE_LINE_CHARS : FACT_LINE_CHARS)
  return html`<div class=${isLong ? 'long' : undefined}>
    <dt>${label}</dt>
    <dd class=${kind ? 'reference' : undefined} data-testid=${kind}><bdi>${text}</bdi></dd>
  </div>`
}
