/**
 * A potter sells by a poster, without a program and without a website: from nothing to the first real order and a refund of a part
 * of it, in a live deployment. Once buyers transfer the money to the potter's bank account, and once they pay at Stripe, which is
 * simulated. The test writes a table of the steps.
 */
import { writeFile } from 'node:fs/promises'
import { type Browser, expect, type Page, type TestInfo, test } from '@playwright/test'
import { type Deployment, Diary, startDeployment } from './support/walk.ts'

const PHONE = { width: 360, height: 740 }
const BUYERS = { manual: 'narek@mail.example', route_a: 'nare@mail.example' }
const SHOTS = process.env.KASSA_SHOTS
const SHORT_NUMBER = /^[A-Z0-9]{4} [A-Z0-9]{4}$/
const START_TIMEOUT_MS = 120_000

const ROUTES = {
  manual: {
    name: 'Clay & Fire',
    address: 'blue-cup',
    installation: [],
    settings: ['RECIPIENT=Ani Petrosyan', 'ACCOUNT=DE89370400440532013000'],
  },
  route_a: {
    name: 'Clay & Water',
    address: 'green-cup',
    installation: ['--route', 'route_a'],
    settings: [],
  },
} as const
type RouteName = keyof typeof ROUTES

/** One deployment for both. */
test.describe.configure({ mode: 'default' })
let deployment: Deployment
test.beforeAll(async () => {
  test.setTimeout(START_TIMEOUT_MS)
  deployment = await startDeployment()
  // The people who run the service have done this for earlier shops.
  const operator = ['--name', 'Gor', '--role', 'administrator', '--email', 'gor@pay.example']
  const { key } = await deployment.run('user', 'add', ...operator)
  await deployment.run('key', key)
})
test.afterAll(() => deployment.close())

for (const route of ['manual', 'route_a'] as const)
  test(`a potter sells by a poster, packs and returns a part, with the route ${route}`, async ({
    browser,
  }, info) => {
    test.setTimeout(90_000)
    await walk(browser, route, info)
  })

async function openPhone(browser: Browser, javaScriptEnabled = true): Promise<Page> {
  const context = await browser.newContext({
    javaScriptEnabled,
    viewport: PHONE,
    hasTouch: true,
    isMobile: true,
    ignoreHTTPSErrors: true,
    proxy: { server: deployment.proxy },
  })
  return context.newPage()
}

async function walk(browser: Browser, route: RouteName, info: TestInfo): Promise<void> {
  const diary = new Diary(deployment)
  const owner = await openPhone(browser)
  const shop = await setUp(diary, route)
  await tryInSandbox(diary, owner, shop)
  const live = await goLive(diary, owner, { ...shop, route })
  await printPoster(diary, owner, live)
  // One buyer has no scripts, and the other one no finger.
  const buyer = await openPhone(browser, route !== 'manual')
  const payment = await buy(diary, buyer, route)
  if (route === 'manual') await confirm(diary, buyer, payment)
  await packOrder(diary, owner, shop, payment)
  await giveBack(diary, owner, { ...shop, ...payment, route })
  await buyer.reload()
  await expect(buyer.getByTestId('checkout')).toContainText('€5.00')
  expect((await deployment.mailTo(BUYERS[route], /€5.00/)).text).toContain('€5.00')
  if (SHOTS) await shootMails(owner, `${SHOTS}/${route}`)
  await owner.context().close()
  await buyer.context().close()
  await writeFile(info.outputPath('walk.md'), diary.table())
}

async function shootMails(phone: Page, start: string): Promise<void> {
  for (const [at, { html, subject }] of (await deployment.mails()).entries()) {
    // The policy of a page would refuse the styles of a mail.
    await phone.goto('about:blank')
    await phone.setContent(html)
    await phone.screenshot({ path: `${start}-${at}-${subject.replaceAll(/\W+/g, '-')}.png`, fullPage: true })
  }
}

type Shop = { merchantId: string; owner: string; payPage: string }

/** What somebody who runs the service types once for a shop. */
async function setUp(diary: Diary, route: RouteName): Promise<Shop> {
  const { name, installation, settings } = ROUTES[route]
  const owner = `potter@${ROUTES[route].address}.example`
  return diary.step('operator', 'computer', 'sets the shop up in the sandbox', async () => {
    const { merchantId } = await diary.run('merchant', 'create', '--name', name)
    const merchant = ['--merchant', merchantId]
    await diary.run('merchant', 'brand', ...merchant, '--ask-email', 'yes', '--phone', '+374 10 123456')
    await diary.run('callback', 'set', ...merchant, '--order-book', '--sandbox')
    await diary.run('callback', 'set', ...merchant, '--order-book', '--live')
    await diary.run('order', 'mails', ...merchant, '--email', owner, '--live')
    const product = ['--id', 'cup', '--name', 'Blue cup', '--amount', '30.00', '--currency', 'EUR']
    const fields = ['--field', 'name=required', 'phone=optional', 'address=required']
    await diary.run('product', 'set', ...merchant, ...product, ...fields, '--sandbox')
    const page = `https://social.example/${ROUTES[route].address}`
    const links = ['installation', 'create', ...merchant, '--page', page, '--sandbox']
    const { publicKey } = await diary.run(...links, ...installation)
    await diary.run('origin', 'approve', ...merchant, '--page', page)
    if (route === 'manual')
      await diary.run('account', 'set', ...merchant, '--route', route, '--driver', 'manual', ...set(settings))
    else {
      const { accountId } = await diary.run(
        ...['account', 'set', ...merchant, '--route', route, '--driver', 'stripe'],
        ...set(Object.entries(deployment.stripe).map((entry) => entry.join('='))),
      )
      const { callbackUrl } = await diary.run('account', 'show', '--account', accountId)
      await deployment.run('webhook', callbackUrl)
    }
    return { merchantId, owner, payPage: `https://pay.example/pay/${publicKey}/cup` }
  })
}

const set = (settings: readonly string[]) => settings.flatMap((each) => ['--set', each])

async function fillIn(diary: Diary, page: Page, buyer: string): Promise<void> {
  await diary.type(page.getByLabel('Name'), 'Narek Vardanyan')
  await diary.type(page.getByLabel('Address', { exact: true }), '12 Abovyan Street, Yerevan')
  await diary.type(page.getByTestId('email'), buyer)
}

async function tryInSandbox(diary: Diary, phone: Page, { payPage }: Shop): Promise<void> {
  await diary.step('owner', 'phone', 'tries the pay link with test money', async () => {
    await phone.goto(payPage)
    await fillIn(diary, phone, 'potter@mail.example')
    await diary.tap(phone.getByTestId('pay'))
    await diary.tap(phone.locator('button[name="outcome"][value="paid"]'))
    await expect(phone.getByTestId('checkout')).toContainText('paid')
  })
}

async function goLive(diary: Diary, phone: Page, { merchantId, owner, route }: Shop & { route: RouteName }) {
  const merchant = ['--merchant', merchantId]
  await diary.step('operator', 'computer', 'sends the owner the test mail', () =>
    diary.run('callback', 'verify', ...merchant, '--live'),
  )
  await diary.step('owner', 'phone', 'opens the mail and presses its button', async () => {
    const mail = await deployment.mailTo(owner, /./)
    await phone.goto(/https:\S+/.exec(mail.text)?.[0] ?? '')
    await diary.tap(phone.getByTestId('seen'))
  })
  return diary.step('operator', 'computer', 'takes the shop to real money', async () => {
    const { installations } = await diary.run('merchant', 'copy', ...merchant, '--to', 'live')
    const { address } = ROUTES[route]
    const [{ installationId, publicKey }] = installations
    const named = ['--installation', installationId, '--product', 'cup', '--name', address]
    await diary.run('address', 'ask', ...named)
    await diary.run('address', 'approve', ...merchant, '--name', address)
    return { publicKey }
  })
}

async function printPoster(diary: Diary, phone: Page, { publicKey }: { publicKey: string }): Promise<void> {
  await diary.step('owner', 'phone', 'prints the poster', async () => {
    await phone.goto(`https://pay.example/install/${publicKey}`)
    await diary.tap(phone.getByTestId('poster'))
    await expect(phone.getByTestId('poster-page')).toContainText('pay.example/p/')
    await phone.pdf()
  })
}

type Sold = { paymentId: string; number: string }

/** The buyer types the short address. The QR code beside it leads to the same page. */
async function buy(diary: Diary, phone: Page, route: RouteName): Promise<Sold> {
  await diary.step('buyer', 'phone', 'scans the poster and fills in the form', async () => {
    await phone.goto(`https://pay.example/p/${ROUTES[route].address}`)
    await fillIn(diary, phone, BUYERS[route])
    if (route === 'manual') await diary.tap(phone.getByTestId('pay'))
    else await goByKeyboard(phone)
  })
  if (route === 'route_a')
    await diary.step('buyer', 'phone', 'pays at Stripe', async () => {
      await diary.tap(phone.getByRole('button', { name: 'Visa ···· 4242' }))
      await expect(phone.getByTestId('checkout')).toContainText('paid')
    })
  await expect(phone.getByTestId('checkout')).toBeVisible()
  const paymentId = new URL(phone.url()).pathname.split('/')[2] ?? ''
  const number = await phone.getByText(SHORT_NUMBER).first().innerText()
  expect((await deployment.mailTo(BUYERS[route], /€30.00/)).text).toContain(number)
  return { paymentId, number }
}

async function goByKeyboard(page: Page): Promise<void> {
  const isAt = (testId: string) => expect(page.getByTestId(testId)).toBeFocused()
  await page.getByTestId('email').focus()
  for (const next of ['buyer_name', 'buyer_phone', 'buyer_address', 'pay']) {
    await page.keyboard.press('Tab')
    await isAt(next)
  }
  await page.keyboard.press('Enter')
}

async function confirm(diary: Diary, phone: Page, { number }: Sold): Promise<void> {
  await diary.step('operator', 'computer', 'confirms the transfer that the owner sees at the bank', () =>
    diary.run('payment', 'confirm', '--number', number, '--amount', '30.00', '--reference', 'RF18 5390'),
  )
  await phone.reload()
  await expect(phone.getByTestId('checkout')).toContainText('paid')
}

async function packOrder(diary: Diary, phone: Page, { owner }: Shop, { number }: Sold): Promise<void> {
  await diary.step('owner', 'phone', 'opens the order from the mail and prints the slip', async () => {
    const mail = await deployment.mailTo(owner, /cup/)
    await phone.goto(/https:\S+/.exec(mail.text)?.[0] ?? '')
    await expect(phone.getByTestId('buyer')).toContainText('12 Abovyan Street')
    await phone.pdf()
  })
  await diary.step('operator', 'computer', 'notes that the order is packed', () =>
    diary.run('order', 'move', '--order', number, '--to', 'packed'),
  )
}

/** At Stripe the owner does it in the console. Where no provider can return money, the owner transfers it, and it is noted. */
async function giveBack(
  diary: Diary,
  phone: Page,
  { merchantId, owner, paymentId, number, route }: Shop & Sold & { route: RouteName },
): Promise<void> {
  if (route === 'manual') {
    const transfer = ['--number', number, '--amount', '5.00', '--reference', 'RF18 5391', '--why', 'a crack']
    await diary.step('operator', 'computer', 'notes the part that the owner has transferred back', () =>
      diary.run('payment', 'returned', ...transfer),
    )
  } else {
    const person = ['--name', 'Ani', '--role', 'shop', '--email', owner, '--merchant', merchantId]
    const { link } = await diary.step('operator', 'computer', 'lets the owner into the console', () =>
      diary.run('user', 'add', ...person, '--refund-limit', '50.00 EUR'),
    )
    await diary.step('owner', 'phone', 'signs in to the console with a passkey', async () => {
      await usePasskeys(phone)
      await phone.goto(link)
      await diary.tap(phone.getByRole('button', { name: 'Use a passkey' }))
      await phone.waitForURL('**/live/today')
    })
    await diary.step('owner', 'phone', 'returns a part in the console', async () => {
      await diary.type(phone.getByLabel('Find a payment'), number)
      await phone.keyboard.press('Enter')
      await diary.tap(phone.locator('.row'))
      await diary.tap(phone.getByRole('link', { name: 'Return money' }))
      await diary.type(phone.getByLabel('Amount in'), '5.00')
      await diary.type(phone.getByLabel('Why'), 'a crack')
      await diary.tap(phone.getByRole('button', { name: 'Next' }))
      await diary.tap(phone.getByRole('button', { name: /^Return/ }))
      await expect(phone.getByRole('status')).toContainText('The refund was asked for')
    })
  }
  const isReturned = async () =>
    (await deployment.run('payment', 'show', '--payment', paymentId)).payment.refundedMinor
  await expect.poll(isReturned, { timeout: 20_000 }).toBe(500)
}

async function usePasskeys(phone: Page): Promise<void> {
  const devtools = await phone.context().newCDPSession(phone)
  await devtools.send('WebAuthn.enable')
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true },
      ...{ isUserVerified: true, automaticPresenceSimulation: true },
    },
  })
}
