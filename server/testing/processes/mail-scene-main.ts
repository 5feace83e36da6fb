/**
 * Every kind of mail, in one language, as a running service has sent it: the service with its worker, a mail server, and one shop.
 * It gets a language, prints one line (the mails), and serves the pictures in them until its standard input ends.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../config.ts'
import { demoBranding } from '../../demo/brand.ts'
import { setBranding } from '../../merchants/branding.ts'
import { changeOrderBook } from '../../operator/orders/book.ts'
import type { Locale } from '../../pages/words/locale.ts'
import { ORDER_BOOK_URL, setCallback } from '../../receivers/receiver.ts'
import { serve } from '../../serve.ts'
import { openService } from '../../service.ts'
import { listMails } from '../../storage/mails/mails.ts'
import { freePort, openShop, TEST_SETTINGS } from '../harness.ts'
import { type Arrived, decodedHeader, headersOf, partsOf, startMailServer } from '../mail-server.ts'
import { ACTS, ADDRESSES, isBuyers, type MailScene, type Reader } from '../pages/mail-acts.ts'
import { runWords } from './operator-lines.ts'

/** `name`: the reader and what the mail is about. */
type ShownMail = { name: string; subject: string; text: string; html: string }

const WITHIN_MS = 60_000
const LOOK_MS = 100
const MAILS_MAX = 200

const [locale = 'en'] = process.argv.slice(2) as Locale[]
const mails = await startMailServer()
const environment = {
  ...TEST_SETTINGS,
  ...process.env,
  LOG_LEVEL: 'error',
  SMTP_URL: mails.url,
  MAIL_FROM: 'orders@pay.example',
  OPERATOR_EMAIL: ADDRESSES.operator,
  OPERATOR_LOCALE: locale,
  EVENT_RETRY_DELAYS: '0,1,1,2,2',
  PORT: String(await freePort()),
  CONSOLE_PORT: String(await freePort()),
  ROUTE_MANUAL_RECIPIENT: 'Urts Tea LLC',
  ROUTE_MANUAL_BANK: 'Bank of the Ararat Valley, Yerevan',
  ROUTE_MANUAL_ACCOUNT: '2500 1234 5678 9012',
}
const stopping = new AbortController()
await serve({
  environment,
  stopping: stopping.signal,
  out: () => {},
  err: (text) => process.stderr.write(`${text}\n`),
  exit: (code) => process.exit(code),
  logTo: 'stderr',
})
const config = readConfig(environment)
const url = `http://127.0.0.1:${environment.PORT}`
const service = await openService(config, { own: false, logTo: 'stderr' })
process.stdout.write(`${JSON.stringify(await collect(await openScene()))}\n`)
process.stdin
  .on('end', async () => {
    await service.close()
    await mails.close()
    stopping.abort()
  })
  .resume()

async function openScene(): Promise<MailScene> {
  const ctx = service.worlds.sandbox as Parameters<typeof openShop>[0]
  const shop = await openShop(ctx)
  const { merchantId } = shop
  await setBranding(ctx, merchantId, {
    name: 'Urts tea, Yerevan',
    ...(await demoBranding(ctx, `${url}/demo/thanks.html`)),
    askEmail: true,
  })
  await setCallback(ctx, merchantId, ORDER_BOOK_URL)
  await changeOrderBook(ctx, merchantId, { email: ADDRESSES.owner, locale, told: 'at_once' })
  const operate = async (words: string[], { mayFail } = { mayFail: false }) => {
    const { code, stdout, stderr } = await runWords(config, [...words, '--json'])
    if (code !== 0 && !mayFail) throw new Error(`${words.join(' ')} ended with ${code}: ${stdout}${stderr}`)
    return JSON.parse(stdout || stderr)
  }
  return { ctx, url, shop, locale, operate }
}

async function collect(scene: MailScene): Promise<ShownMail[]> {
  const named = new Map<string, Arrived>()
  let seen = 0
  for (const act of ACTS) {
    const wait = async (wanted: typeof act.mails) => {
      seen = await waitForMails(seen, wanted, act.name)
    }
    await act.run(scene, wait)
    const first = seen
    await wait(act.mails)
    for (const mail of mails.arrived.slice(first)) {
      const reader = readerOf(mail)
      const kind = (await kindOf(scene, mail)) ?? ''
      const about = /^(order_news|desk_cases)$/.test(kind) ? act.name : kind.replaceAll('_', '-')
      named.set(`mail-${reader}-${about}`, mail)
    }
  }
  return [...named].map(([name, mail]) => ({
    name,
    subject: decodedHeader(headersOf(mail).subject),
    ...partsOf(mail),
  }))
}

/** Returns how many mails have arrived in all. @throws Error if those that an act causes do not arrive in time */
async function waitForMails(
  seen: number,
  wanted: Partial<Record<Reader, number>>,
  about: string,
): Promise<number> {
  const deadline = performance.now() + WITHIN_MS
  const isThere = ([reader, count]: [string, number]) =>
    mails.arrived.slice(seen).filter((mail) => readerOf(mail) === reader).length >= count
  while (!Object.entries(wanted).every(isThere)) {
    if (performance.now() > deadline)
      throw new Error(
        `The mails of "${about}" did not arrive: ${mails.arrived.slice(seen).map(({ to }) => to)}`,
      )
    await sleep(LOOK_MS)
  }
  return mails.arrived.length
}

function readerOf({ to: [address = ''] }: Arrived): Reader {
  if (isBuyers(address)) return 'buyer'
  return address === ADDRESSES.owner ? 'owner' : 'operator'
}

async function kindOf({ ctx }: MailScene, mail: Arrived): Promise<string | undefined> {
  const id = /<([^@]+)@/.exec(headersOf(mail)['message-id'] ?? '')?.[1]
  return (await listMails(ctx.db, { limit: MAILS_MAX })).find((each) => each.id === id)?.kind
}
