/**
 * What the simulated Idram keeps: bills as the forms name them, and each transaction with what became of its money. It asks and confirms
 * over HTTP, and reads each reply as strictly as its document says.
 */
import { createHash } from 'node:crypto'

type Fields = Record<string, string>

/**
 * `resultUrl`, `successUrl`, `failUrl`: as its staff have set them up. `amounts`: how it writes an amount in a pre-check. `text`: an own
 * field of the shop that comes back, in which encoding; null if there is none. `retries`: how often it repeats a confirmation that no
 * success has answered. It waits for `pause` between the pre-check and the payment.
 */
export type WalletSetup = {
  account: string
  secret: string
  resultUrl: string
  successUrl: string
  failUrl: string
  amounts: 'two_digits' | 'plain'
  text: 'utf-8' | 'windows-1251' | null
  retries: number
  pause(bill: string): Promise<void>
}

export type Bill = {
  number: string
  amount: string
  language: string
  description: string
  email: string | null
}

/** `unanswered`: the money stays with the shop, and the staff write an e-mail. */
export type Transaction = {
  id: string
  bill: string
  amount: string
  date: string
  state: 'sent' | 'kept' | 'returned' | 'unanswered'
}

type Changes = Partial<Pick<Transaction, 'id' | 'amount'>> & { checksum?: string; fields?: Fields }
/** The reply as it arrived; null if the connection broke. */
type Heard = { status: number; body: Buffer } | null

export type Wallet = ReturnType<typeof createWallet>

export function createWallet(setup: WalletSetup, now: () => Date) {
  const bills = new Map<string, Bill>()
  const transactions: Transaction[] = []
  const mails: string[] = []

  /** Whether the shop allows the payment. Nothing but a status of 200 with the two letters is a yes. */
  async function precheck(number: string, changes: Fields = {}): Promise<boolean> {
    const amount = bills.get(number)?.amount ?? '0.00'
    const written = setup.amounts === 'plain' ? amount.replace(/\.?0+$/, '') : amount
    const fields = {
      EDP_PRECHECK: 'YES',
      EDP_BILL_NO: number,
      EDP_REC_ACCOUNT: setup.account,
      EDP_AMOUNT: written,
    }
    return isOk(await post(setup, { ...fields, ...changes }))
  }

  /** Takes the money of a buyer, and confirms it. `id`: of an earlier transaction, to confirm that one again. */
  async function confirm(number: string, { id, amount, checksum, fields: own = {} }: Changes = {}) {
    const known = transactions.find((each) => each.id === id)
    const transaction: Transaction = known ?? {
      id: id ?? String(transactions.length + 1).padStart(14, '0'),
      bill: number,
      amount: amount ?? bills.get(number)?.amount ?? '0.00',
      date: dayOf(now()),
      state: 'sent',
    }
    if (!known) transactions.push(transaction)
    const fields: Fields = {
      EDP_BILL_NO: number,
      EDP_REC_ACCOUNT: setup.account,
      EDP_PAYER_ACCOUNT: '200000001',
      EDP_AMOUNT: transaction.amount,
      EDP_TRANS_ID: transaction.id,
      EDP_TRANS_DATE: transaction.date,
      ...own,
    }
    for (let tries = 0; tries <= setup.retries; tries++) {
      const heard = await post(setup, {
        ...fields,
        EDP_CHECKSUM: checksum ?? checksumOf(setup.secret, fields),
      })
      transaction.state = outcomeOf(heard)
      if (transaction.state !== 'unanswered') break
      mails.push(transaction.id)
    }
    return transaction
  }

  /** Returns whether the buyer has paid, and the money has stayed. */
  async function pay(number: string): Promise<boolean> {
    if (!(await precheck(number))) return false
    await setup.pause(number)
    const { state } = await confirm(number)
    return state === 'kept' || state === 'unanswered'
  }

  return { setup, now, bills, transactions, mails, precheck, confirm, pay }
}

/** Written anew after Idram's document, so that a mistake in the driver's own is seen. */
function checksumOf(secret: string, fields: Fields): string {
  const { EDP_REC_ACCOUNT, EDP_AMOUNT, EDP_BILL_NO, EDP_PAYER_ACCOUNT, EDP_TRANS_ID, EDP_TRANS_DATE } = fields
  const parts = [
    EDP_REC_ACCOUNT,
    EDP_AMOUNT,
    secret,
    EDP_BILL_NO,
    EDP_PAYER_ACCOUNT,
    EDP_TRANS_ID,
    EDP_TRANS_DATE,
  ]
  return createHash('md5').update(parts.join(':')).digest('hex').toUpperCase()
}

function isOk(heard: Heard): boolean {
  return heard?.status === 200 && heard.body.equals(Buffer.from('OK'))
}

/** By the document: after a success without `OK` the money goes back, and after anything else it stays. */
export function outcomeOf(heard: Heard): Exclude<Transaction['state'], 'sent'> {
  if (isOk(heard)) return 'kept'
  return heard !== null && heard.status >= 200 && heard.status < 300 ? 'returned' : 'unanswered'
}

const TEXTS = { 'utf-8': 'shop_note=%D0%A7%D0%B0%D0%B9', 'windows-1251': 'shop_note=%D7%E0%E9' } as const

async function post({ resultUrl, text }: WalletSetup, fields: Fields): Promise<Heard> {
  const form = new URLSearchParams(fields).toString()
  try {
    const answer = await fetch(resultUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: text === null ? form : `${form}&${TEXTS[text]}`,
      redirect: 'manual',
    })
    return { status: answer.status, body: Buffer.from(await answer.arrayBuffer()) }
  } catch {
    return null
  }
}

function dayOf(time: Date): string {
  const [year, month, day] = time.toISOString().slice(0, 10).split('-')
  return `${day}/${month}/${year}`
}
