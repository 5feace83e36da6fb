/** What a buyer needs who pays by a bank transfer: where the money goes, what to write, and until when the order is kept. */
import { translate } from '../../messages/translate.ts'
import { qrTextOf, type TransferInstructions } from '../../payments/transfers/transfer.ts'
import { html, type Markup } from '../html.ts'
import { qrCode } from '../qr-code.ts'
import { formatMoment, type Locale } from '../words/locale.ts'
import { fact, type PaymentFacts } from './payment-frame.ts'

/** `isOver`: the order is not kept any more. */
export type ShownTransfer = TransferInstructions & { isOver: boolean }

/** Returns the rows of a table: a label and a value. `amount`: absent if it is shown above the table. */
export function transferRows(
  locale: Locale,
  { account, reference }: TransferInstructions,
  { amount, moment }: { amount?: string; moment: string },
): [label: string, text: string][] {
  const { recipient, number, bank, bic } = account ?? {}
  const rows: [string, string | null | undefined][] = [
    [translate(locale, 'pages.transferAmount'), amount],
    [translate(locale, 'pages.transferRecipient'), recipient],
    [translate(locale, 'pages.transferAccount'), number],
    [translate(locale, 'pages.transferBank'), bank],
    [translate(locale, 'pages.transferBic'), bic],
    [translate(locale, 'pages.transferReference'), reference],
    [translate(locale, 'pages.keptUntil'), moment],
  ]
  return rows.filter((row): row is [string, string] => !!row[1])
}

export function transferPart(facts: PaymentFacts, transfer: ShownTransfer | null | undefined): Markup {
  if (!transfer || transfer.isOver) return null
  const { locale, amountMinor, currency, brand } = facts
  const moment = formatMoment(transfer.keptUntil.toISOString(), locale, { timeZone: brand?.timeZone }) ?? ''
  const rows = transferRows(locale, transfer, { moment })
  const code = qrTextOf(transfer, { amountMinor, currency })
  return html`<div class="transfer" data-testid="transfer">
    <dl class="facts">${rows.map(([label, text]) => fact(label, text, text === transfer.reference || text === transfer.account?.number ? 'reference' : undefined))}</dl>
    ${
      code &&
      html`<figure class="qr transfer-qr" data-testid="transfer-qr">
        ${qrCode(code, translate(locale, 'pages.transferQrTitle'))}
        <figcaption class="note">${translate(locale, 'pages.transferQrText')}</figcaption>
      </figure>`
    }
  </div>`
}
