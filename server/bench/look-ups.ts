/** Looking up settled payments, beside `read`: one indexed select through the same stack. */
import { BASELINE_SCHEMA, READ_ROWS } from './baseline-storage.ts'
import { startBaseline, startKassa } from './cells.ts'
import type { Request } from './load.ts'
import { requests } from './requests.ts'
import type { Cell } from './rounds.ts'
import type { Checkout, Scene } from './scene.ts'

const PAYMENTS = 200

export async function prepareLookUps(scene: Scene): Promise<Cell[]> {
  await scene.db.query(BASELINE_SCHEMA)
  const cells: Cell[] = []
  for (const checkout of scene.checkouts) {
    const ids = await settlePayments(checkout)
    const headers = { Authorization: `Bearer ${checkout.token}` }
    const next = turns(ids, (id) => ({ path: `/v1/payments?paymentId=${id}`, headers }))
    cells.push(await startKassa(scene, checkout, { next, expected: 200 }))
  }
  const { rows } = await scene.db.query<{ id: string }>(READ_ROWS, [PAYMENTS])
  const next = turns(
    rows.map(({ id }) => id),
    (id) => ({ path: `/payments?paymentId=${id}`, headers: {} }),
  )
  cells.push(await startBaseline(scene, 'read', { next, expected: 200 }))
  return cells
}

/** Creates payments and pays them at the simulated bank, through a service that is stopped again. */
async function settlePayments({ token, start }: Checkout): Promise<string[]> {
  const server = await start()
  try {
    const url = `http://127.0.0.1:${await server.port}`
    const next = requests('settled', '/v1/payment-sessions', { Authorization: `Bearer ${token}` })
    const ids: string[] = []
    for (let index = 0; index < PAYMENTS; index++) {
      const { path, headers, body = '' } = next()
      const given = { method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body }
      const session = await fetch(url + path, given).then((response) => response.json())
      await payAtBank(session.providerCheckoutUrl)
      ids.push(session.id)
    }
    return ids
  } finally {
    await server.stop()
  }
}

function turns(ids: string[], requestOf: (id: string) => Request): () => Request {
  let count = 0
  return () => requestOf(ids[++count % ids.length] ?? '')
}

/** Plays the buyer at the simulated bank, and comes back. */
async function payAtBank(checkoutUrl: string): Promise<void> {
  const { url } = await fetch(checkoutUrl)
  const body = new URLSearchParams({ outcome: 'paid' })
  const paid = await fetch(url.split('?')[0] ?? '', { method: 'POST', body, redirect: 'manual' })
  await fetch(paid.headers.get('location') ?? '', { redirect: 'manual' })
}
