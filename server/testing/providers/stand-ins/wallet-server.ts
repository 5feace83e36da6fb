/** The wallet of the stand-in driver, on HTTP. Its buyers pay when a test says so. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checksumOf, type WalletFields } from './wallet.ts'

export type Transaction = {
  id: string
  bill: string
  amount: string
  state: 'taken' | 'returned' | 'unheard'
}
export type Wallet = Awaited<ReturnType<typeof startWallet>>

/** `resultUrl`: where its staff have set up that we are asked and told. */
export async function startWallet({ shop, secret }: { shop: string; secret: string }) {
  const bills = new Map<string, string>()
  const transactions: Transaction[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    const fields = new URLSearchParams(text)
    bills.set(fields.get('BILL') ?? '', fields.get('AMOUNT') ?? '')
    response.end('Pay here')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const wallet = {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    resultUrl: '',
    bills,
    transactions,
    async post(fields: Record<string, string>): Promise<{ status: number; text: string }> {
      const answer = await fetch(wallet.resultUrl, { method: 'POST', body: new URLSearchParams(fields) })
      return { status: answer.status, text: await answer.text() }
    },
    async precheck(bill: string, amount = bills.get(bill) ?? '19.00'): Promise<boolean> {
      const { status, text } = await wallet.post({ PRECHECK: 'YES', SHOP: shop, BILL: bill, AMOUNT: amount })
      return status === 200 && text === 'OK'
    },
    /** Takes the money, and tells us. By our reply it keeps the money, or gives it back. */
    async confirm(bill: string, { amount = bills.get(bill) ?? '19.00', id = '' } = {}): Promise<Transaction> {
      const named = id || `t${transactions.length + 1}`
      const fields: WalletFields = { SHOP: shop, BILL: bill, AMOUNT: amount, TRANSACTION: named }
      const known = transactions.find((each) => each.id === named)
      const transaction: Transaction = known ?? { id: named, bill, amount, state: 'unheard' }
      if (!known) transactions.push(transaction)
      const { status, text } = await wallet.post({ ...fields, CHECKSUM: checksumOf(secret, fields) })
      if (status === 200) transaction.state = text === 'OK' ? 'taken' : 'returned'
      return transaction
    },
    /** Whether it kept the money of a buyer who paid. */
    async pay(bill: string): Promise<boolean> {
      return (await wallet.precheck(bill)) && (await wallet.confirm(bill)).state === 'taken'
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return wallet
}
