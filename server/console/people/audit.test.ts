/** The audit log in the console: what it shows, how it is cut, and that a page looks at a bounded number of rows. */
import { expect, test } from 'vitest'
import { appendAudit } from '../../storage/audit/log.ts'
import { inTransaction } from '../../storage/db.ts'
import { openAs } from '../../testing/console.ts'
import { openShop } from '../../testing/harness.ts'
import { openConsole } from '../../testing/scene/console.ts'

const LOG = '/sandbox/audit'
const { kassa, desk, shop } = await openConsole()
const person = { name: 'Root', role: 'administrator', email: 'root@pay.example' } as const
const root = (await openAs(kassa.ctx, desk, person)).browser
for (const [who, merchantId, count] of [
  ['Ani', shop.merchantId, 30],
  ['Davit', null, 2],
] as const)
  await inTransaction(kassa.ctx.db, async (tx) => {
    for (let n = 1; n <= count; n++)
      await appendAudit(
        tx,
        { id: `act-${who}-${n}`, who, operator: null, from: 'console 127.0.0.1', what: 'product set' },
        {
          world: 'sandbox',
          merchantId,
          about: `products cup-${n}`,
          before: { amount_minor: 1500 },
          after: { amount_minor: 1500 + n },
        },
      )
  })

const namesIn = (text: string) => [...text.matchAll(/<strong><bdi>([^<]*)<\/bdi>/g)].map(([, name]) => name)

test('the newest acts stand first, with both sides of what changed', async () => {
  const { text, status } = await root.get(LOG)
  expect([status, namesIn(text).slice(0, 3)]).toEqual([200, ['Davit', 'Davit', 'Ani']])
  expect(text).toContain('1500 → 1502')
  expect(text).toContain('products cup-2')
})

test('the older ones follow page by page, each row once', async () => {
  const seen: string[] = []
  let address: string | undefined = `${LOG}?who=ani`
  while (address) {
    const { text } = await root.get(address)
    seen.push(...[...text.matchAll(/id="row-(\d+)"/g)].map(([, number]) => number as string))
    address = /href="(\/sandbox\/audit\?[^"]*before=\d+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&')
  }
  expect([seen.length, new Set(seen).size]).toEqual([30, 30])
})

test('it is cut to a person, a shop or a day, and each goes away with one tap', async () => {
  const { text } = await root.get(`${LOG}?who=DAVIT&day=today`)
  expect(namesIn(text)).toEqual(['Davit', 'Davit'])
  expect(text).toContain(`href="${LOG}?day=today"`)
  expect(text).toContain(`href="${LOG}?who=DAVIT"`)
  expect(namesIn((await root.get(`${LOG}?who=Davit&day=yesterday`)).text)).toEqual([])
  const ofShop = namesIn((await root.get(`${LOG}?merchant=${shop.merchantId}`)).text)
  expect([ofShop.length, ofShop.includes('Davit')]).toEqual([25, false])
  expect((await root.get(`${LOG}?day=someday`)).status).toBe(422)
})

test('a viewer of one shop sees the acts on it alone, and cannot check the whole log', async () => {
  const other = await openShop(kassa.ctx)
  const person = {
    name: 'Eva',
    role: 'viewer',
    email: 'eva@shop.example',
    merchantId: other.merchantId,
  } as const
  const { browser } = await openAs(kassa.ctx, desk, person)
  const { text } = await browser.get(`${LOG}?merchant=${shop.merchantId}`)
  expect(namesIn(text)).not.toContain('Ani')
  expect((await browser.post(`${LOG}/verify`, {})).status).toBe(403)
})

test('the whole log is checked', async () => {
  expect((await root.post(`${LOG}/verify`, {})).text).toContain('rows follow one another')
})

test('a page looks at 5,000 rows at most, and the way on leads to the others', async () => {
  await kassa.ctx.db.query(
    `select kassa.append_audit(null, null, null, 'x', null, null) from generate_series(1, 5200)`,
  )
  const { text } = await root.get(`${LOG}?who=Davit`)
  expect(namesIn(text)).toEqual([])
  const next = /href="(\/sandbox\/audit\?[^"]*before=\d+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
  expect(namesIn((await root.get(next)).text)).toEqual(['Davit', 'Davit'])
})
