/** Pays orders at the simulated bank, for a test with a service on a machine of its own: `node pay-orders.ts TOKEN ORDER=OUTCOME...` */
import { createSession, payAtBank, sessionRequest } from '../calls.ts'

const ADDRESS = 'http://localhost:3000'
const [token = '', ...orders] = process.argv.slice(2)
const shop = { merchantId: '', webhookSecret: '', token, publicKey: '', installationId: '' }
const ids: Record<string, string> = {}
for (const [merchantOrderId = '', outcome = ''] of orders.map((order) => order.split('='))) {
  const { body } = await createSession(ADDRESS, shop, {
    key: merchantOrderId,
    body: sessionRequest({ merchantOrderId }),
  })
  if (!body.id) throw new Error(JSON.stringify(body))
  await payAtBank(body.providerCheckoutUrl, outcome)
  ids[merchantOrderId] = body.id
}
console.info(JSON.stringify(ids))
