/** The fiscal receipts that a buyer may see. */
import type { Context } from '../../context.ts'
import type { Payment } from '../../storage/payments/payment.ts'
import { listReceipts, type ReceiptRecord } from '../../storage/payments/receipts.ts'

/** `number`: the cash register's own. `url`: where the tax authority or the register shows it. */
export type PrintedReceipt = {
  kind: ReceiptRecord['kind']
  amountMinor: number
  number: string | null
  url: string | null
  /** Further lines on it, by the register's own labels. */
  printed: Record<string, string> | null
  /** The text of its QR code. */
  qr: string | null
  issuedAt: Date
}

/** Returns the receipts that are issued, the sale's first. */
export async function listPrintedReceipts(
  ctx: Context,
  { merchantId, id }: Pick<Payment, 'merchantId' | 'id'>,
): Promise<PrintedReceipt[]> {
  const all = await listReceipts(ctx.db, merchantId, id)
  return all
    .filter(({ status }) => status === 'issued')
    .map(({ kind, amountMinor, number, url, printed, qr, updatedAt: issuedAt }) => ({
      kind,
      amountMinor,
      number,
      url,
      printed: printed as Record<string, string> | null,
      qr,
      issuedAt,
    }))
}
