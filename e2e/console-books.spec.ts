/** The books in the console on a phone: a statement with three differences, totals, the system page. The guide has the same taps. */
import { readFileSync } from 'node:fs'
import type { Locator } from '@playwright/test'
import { addAuthenticator } from './support/console.ts'
import { look } from './support/look.ts'
import { phoneFaults } from './support/narrow.ts'
import { expect, test } from './support/stage.ts'

const GUIDE = readFileSync(new URL('../server/guides/console.md', import.meta.url), 'utf8')
const DAY_MS = 86_400_000

test('a statement with three differences is compared on a phone', { tag: '@long' }, async ({
  kassa,
  operator,
  page,
  browser,
}) => {
  // No other test uses this account, because their payments would be missing on the statement.
  const { merchantId } = await operator.run<{ merchantId: string }>('merchant', 'create', '--name', 'Books')
  const own = ['--merchant', merchantId]
  const { accounts } = await operator.run<{ accounts: { accountId: string; route: string }[] }>(
    ...['account', 'list'],
  )
  const accountId = accounts.find(({ route }) => route === 'route_c')?.accountId
  const { token } = await operator.run<{ token: string }>('token', 'issue', ...own)
  const pay = async (order: string, amountMinor: number) => {
    const answer = await fetch(`${kassa.url}/v1/payment-sessions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'idempotency-key': order,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        provider: 'route_c',
        merchantOrderId: order,
        amountMinor,
        currency: 'USD',
        returnUrl: `${kassa.url}/`,
      }),
    })
    const { id, providerCheckoutUrl } = (await answer.json()) as { id: string; providerCheckoutUrl: string }
    await page.goto(providerCheckoutUrl)
    await page.locator('button[name="outcome"][value="paid"]').click()
    const show = () =>
      operator.run<{ payment: { status: string; attempt: { providerReference: string } } }>(
        ...['payment', 'show', '--payment', id],
      )
    await expect.poll(async () => (await show()).payment.status, { timeout: 60_000 }).toBe('paid')
    return JSON.stringify(await show()).match(/"providerReference":"([^"]+)"/)?.[1] ?? ''
  }
  const [good, other] = [await pay('good', 1500), await pay('other', 2000), await pay('missing', 2500)]
  const at = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()
  const lines = [
    'id,Date,Sum,Currency,Type,Reference',
    `first,${at(-20)},0,USD,x,`,
    `a,${at(0)},15.00,USD,in,${good}`,
    `b,${at(0)},19.00,USD,in,${other}`,
    `c,${at(0)},7.00,USD,in,nobody`,
    `last,${at(20)},0,USD,x,`,
  ]
  const file = { name: 'statement.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) }
  const { link } = await operator.run<{ link: string }>(
    ...['user', 'add', '--name', 'Books', '--role', 'administrator', '--email', 'books@pay.example'],
  )

  const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
  const desk = await context.newPage()
  const complaints: string[] = []
  desk.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  await addAuthenticator(desk)
  const { origin } = new URL(kassa.consoleLink)
  await desk.goto(origin + new URL(link).pathname)
  await desk.getByRole('button', { name: 'Use a passkey' }).click()
  await desk.waitForURL('**/sandbox/today')
  const faults: string[] = []
  const seen = async (name: string) => {
    faults.push(...(await look(desk, name)))
    await desk.setViewportSize({ width: 360, height: 740 })
  }
  let taps = 0
  const tap = async (what: Locator) => {
    await what.click()
    taps++
  }
  const give = async () => {
    await desk.getByLabel('The statement').setInputFiles(file)
    taps++
    await tap(desk.getByRole('button', { name: 'Look at the file' }))
  }

  // The first file of its kind asks what it does not say. Its columns can be said instead, once.
  await desk.goto(`${origin}/sandbox/statements/${accountId}`)
  await seen('statement-form')
  await give()
  await expect(desk.getByRole('heading', { level: 2 })).toContainText('means that money came')
  await seen('statement-question')
  await desk.getByText('Read it in another way').click()
  await desk.getByRole('link', { name: 'What are the columns?' }).click()
  await desk.getByText('More columns, kinds and forms').click()
  await desk.getByLabel('Words of the column of kinds for: Came').fill('in')
  await seen('statement-columns')
  await desk.getByRole('button', { name: 'Keep it for this account' }).click()
  await expect(desk.getByText('Nothing is stored yet.')).toBeVisible()
  await seen('statement-preview')

  await desk.goto(`${origin}/sandbox/today`)
  taps = 0
  const began = performance.now()
  await tap(desk.getByText('Menu', { exact: true }))
  await tap(desk.locator('.menu').getByRole('link', { name: 'Statements', exact: true }))
  await tap(desk.locator(`a[href$="${accountId}"]`))
  await give()
  await tap(desk.getByRole('button', { name: 'Store 5 lines and compare' }))
  await expect(desk.getByRole('status')).toContainText('Differences to look at: 3.')
  const result = desk.url()
  for (const kind of ['missing_here', 'missing_there', 'differing']) {
    await tap(desk.locator(`a[data-kind="${kind}"]`))
    await expect(desk.locator('.sentence')).toContainText('do not agree')
    if (kind !== 'differing') {
      await desk.goBack({ waitUntil: 'commit' })
      taps++
    }
  }
  const seconds = (performance.now() - began) / 1_000
  console.info(`a statement with three differences: ${taps} taps, ${seconds.toFixed(1)} s`)
  const row = GUIDE.split('\n').find((line) => line.startsWith('| A statement with three differences'))
  expect(taps).toBe(Number(row?.split('|')[2]))

  await desk.goto(result)
  await seen('statement-result')
  const screens: [path: string, name: string][] = [
    ['statements', 'statements'],
    ['totals', 'totals'],
    [`shops/${merchantId}/totals?by=month`, 'totals-month'],
    [`shops/${merchantId}/subscriptions`, 'subscriptions'],
    ['system', 'system'],
  ]
  for (const [path, name] of screens) {
    await desk.goto(`${origin}/sandbox/${path}`)
    await seen(name)
  }
  for (const [locale, address] of [
    ['hy', result],
    ['ru', result],
    ['hy', `${origin}/sandbox/system`],
    ['ru', `${origin}/sandbox/totals`],
  ] as const) {
    await desk.goto(`${address}${address.includes('?') ? '&' : '?'}locale=${locale}`)
    await seen(`${new URL(address).pathname.split('/')[2]}-${locale}`)
  }
  // Without a script the form works too.
  const without = await browser.newContext({
    javaScriptEnabled: false,
    storageState: await context.storageState(),
  })
  const plain = await without.newPage()
  await plain.goto(`${origin}/sandbox/statements/${accountId}?locale=en`)
  await plain.getByLabel('The statement').setInputFiles(file)
  await plain.getByRole('button', { name: 'Look at the file' }).click()
  await plain.getByRole('button', { name: 'Store 5 lines and compare' }).click()
  await expect(plain.getByRole('status')).toContainText('This statement was read before')
  for (const fault of await phoneFaults(plain)) faults.push(`plain: ${fault}`)
  await without.close()
  await context.close()
  expect(faults).toEqual([])
  expect(complaints.filter((text) => !text.includes('422'))).toEqual([])
})
