/**
 * A bank that is away, that refuses the account, that mixes up test money and real money, and that loses a refund. A proxy stands
 * before the simulated bank. And credentials that cannot be read.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setAccount } from '../../accounts/set.ts'
import { askOperation, createSession, lookUp, payAtBank, sessionRequest } from '../calls.ts'
import { freePort, openShop } from '../harness.ts'
import { type Cause, repeat, type Scene, type Watched, watchDeployment } from './scene.ts'

/**
 * `away`: it closes every connection. `refuse`: it does not accept the credentials. `live`: its objects are of real money. `drop`: it
 * closes those that write. `garble`: its answers to questions cannot be read.
 */
type Fault = 'none' | 'away' | 'refuse' | 'live' | 'drop' | 'garble'

async function startProxy(bankUrl: string) {
  const state = { fault: 'none' as Fault }
  const server = createServer(async (request, response) => {
    const { method = 'GET', url = '/', headers } = request
    const { fault } = state
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (fault === 'away' || (fault === 'drop' && method !== 'GET')) return void request.socket.destroy()
    if (fault === 'garble' && method === 'GET')
      return void response.writeHead(200, { 'content-type': 'application/json' }).end('{"state":')
    if (fault === 'refuse') return void response.writeHead(401).end('{}')
    const sent = Object.entries(headers).filter(([name]) =>
      ['authorization', 'content-type', 'idempotency-key'].includes(name),
    ) as [string, string][]
    const answer = await fetch(bankUrl + url, {
      method,
      headers: sent,
      redirect: 'manual',
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const text = await answer.text()
    const location = answer.headers.get('location')
    const kind = answer.headers.get('content-type') ?? 'application/json'
    response.writeHead(answer.status, { 'content-type': kind, ...(location && { location }) })
    response.end(fault === 'live' ? text.replace('"mode":"test"', '"mode":"live"') : text)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { state, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

export async function bankScene(): Promise<Scene> {
  const port = await freePort()
  const proxy = await startProxy(`http://127.0.0.1:${port}`)
  const watched = await watchDeployment({
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    ROUTE_A_DRIVER: 'sandbox',
    ROUTE_A_ADDRESS: `${proxy.url}/sandbox/bank`,
  })
  const buyer = await openBuyer(watched)
  return {
    target: watched.target,
    async close() {
      await watched.close()
      proxy.server.closeAllConnections()
      proxy.server.close()
    },
    causes: [
      awayCause(proxy.state, buyer),
      refusedCause(proxy.state, buyer),
      unopenableCause(watched),
      unclearCause(proxy.state, buyer),
      wrongModeCause(proxy.state, buyer),
      cardTestingCause(buyer),
      reviewCause(proxy.state, buyer, watched),
    ],
  }
}

type Proxy = { fault: Fault }
type Buyer = Awaited<ReturnType<typeof openBuyer>>

/** A shop, and what its buyers do. */
async function openBuyer({ kassa, running }: Watched) {
  const shop = await openShop(kassa.ctx)
  const { url } = running.process
  let orders = 0
  const create = async () => {
    const key = `bank-${++orders}`
    const created = await createSession(url, shop, { key, body: sessionRequest({ merchantOrderId: key }) })
    return created.body as { id: string; providerCheckoutUrl: string }
  }
  return {
    create,
    ask: (id: string) => lookUp(url, shop, id),
    /** The bank opens an order when the buyer visits it. */
    async pay(): Promise<string> {
      const { id, providerCheckoutUrl } = await create()
      await payAtBank(providerCheckoutUrl, 'paid')
      return id
    },
    /** The buyer's card is declined, and the buyer comes back. */
    decline: (providerCheckoutUrl: string) => payAtBank(providerCheckoutUrl, 'declined'),
    async refund(id: string): Promise<string> {
      const request = { key: `refund-${id}`, body: { amountMinor: 500, reason: 'broken' } }
      return (await askOperation(url, shop, id, 'refunds', request)).body.operation.id
    },
  }
}

function awayCause(proxy: Proxy, { create, ask }: Buyer): Cause {
  const visit = async () => ask((await create()).id)
  return {
    what: 'the bank closes every connection, and buyers go on',
    alerts: ['KassaAccountAway', 'KassaProviderUnsteady', 'KassaAccountFailing'],
    async begin(ended) {
      proxy.fault = 'away'
      repeat(ended, 200, visit)
    },
    async mend() {
      proxy.fault = 'none'
      // The breaker closes with the first request that gets through.
      repeat(AbortSignal.timeout(35_000), 500, visit)
    },
  }
}

function refusedCause(proxy: Proxy, { create, pay, ask }: Buyer): Cause {
  let id = ''
  return {
    what: 'the bank does not accept the credentials; mended by the next answer',
    alerts: ['KassaAccountRefused'],
    async begin() {
      id = await pay()
      proxy.fault = 'refuse'
      await create()
      await ask(id)
    },
    async mend() {
      proxy.fault = 'none'
      repeat(AbortSignal.timeout(60_000), 1_000, () => ask(id))
    },
  }
}

/** The bytes of the credential are turned around, and back again. */
function unopenableCause({ kassa }: Watched): Cause {
  const { ctx } = kassa
  const spoil = async () => {
    await ctx.db.query(
      `update sandbox.account_credentials set sealed = decode(reverse(encode(sealed, 'hex')), 'hex') where account_id in
         (select id from sandbox.accounts where owner is not null)`,
    )
    await ctx.db.query('update sandbox.accounts set version = version + 1 where owner is not null')
  }
  return {
    what: 'the credentials of an account cannot be decrypted; mended by the old bytes',
    alerts: ['KassaAccountUnopenable'],
    async begin() {
      const { merchantId } = await openShop(ctx)
      const written = { CUSTOMER: 'spoilt', SECRET: ctx.sandbox.bank.customers.secretOf('spoilt') }
      await setAccount(ctx, {
        merchantId,
        route: 'route_b',
        driver: 'sandbox',
        currencies: undefined,
        written,
      })
      await spoil()
    },
    mend: spoil,
  }
}

function cardTestingCause({ create, decline }: Buyer): Cause {
  return {
    what: 'forty cards are declined',
    alerts: ['KassaCardTesting'],
    async begin() {
      for (let card = 0; card < 40; card++) await decline((await create()).providerCheckoutUrl)
    },
  }
}

function unclearCause(proxy: Proxy, { pay, ask }: Buyer): Cause {
  let id = ''
  return {
    what: 'the answers of the bank cannot be read; mended by the next answer',
    alerts: ['KassaAccountUnclear'],
    async begin() {
      id = await pay()
      proxy.fault = 'garble'
      await ask(id)
    },
    async mend() {
      proxy.fault = 'none'
      repeat(AbortSignal.timeout(60_000), 1_000, () => ask(id))
    },
  }
}

function wrongModeCause(proxy: Proxy, { pay, ask }: Buyer): Cause {
  return {
    what: 'the bank answers with an object of real money',
    alerts: ['KassaWrongMode'],
    async begin() {
      proxy.fault = 'live'
      await ask(await pay())
    },
    async mend() {
      proxy.fault = 'none'
    },
  }
}

function reviewCause(proxy: Proxy, { pay, ask, refund }: Buyer, { operate }: Watched): Cause {
  let operation = ''
  return {
    what: 'the bank does not do a refund within 11 minutes; mended with operation resolve',
    alerts: ['KassaOperationsInReview'],
    async begin() {
      const id = await pay()
      await ask(id)
      proxy.fault = 'drop'
      operation = await refund(id)
      await operate('clock', 'advance', '--by', '15m')
    },
    async mend() {
      proxy.fault = 'none'
      await operate('operation', 'resolve', '--operation', operation, '--as', 'failed', '--why', 'test')
    },
  }
}
