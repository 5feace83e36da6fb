/** The console of a Kassa under test, and a browser's way of speaking to it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readNewPasskey } from '../access/passkeys.ts'
import { openSession } from '../access/sessions.ts'
import { addUser } from '../access/users.ts'
import { createConsole } from '../console/app.ts'
import type { Context, Worlds } from '../context.ts'
import { KEEP_ALIVE_MS } from '../http/server.ts'
import { insertPasskey } from '../storage/access/credentials.ts'
import { inTransaction } from '../storage/db.ts'
import { createAuthenticator } from './attacks/authenticator.ts'
import { type LightAnswer, send } from './light-http.ts'

/** `origin`: where people reach it. `url`: where it listens. */
export type Desk = { origin: string; url: string; close(): Promise<void> }

/** Serves the console at a free port. `behind`: its address behind a proxy. */
export async function startDesk(worlds: Worlds, behind?: string): Promise<Desk> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const origin = behind ?? `http://localhost:${port}`
  server.on('request', createConsole(worlds, origin))
  return {
    origin,
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** `text`: without the styles, which name what a page may hold. `whole`: with them. */
export type Answer = {
  status: number
  headers: Headers
  text: string
  whole: string
  location: string | null
}

/** Compressing every page of every test would take a fifth of their time. A test that wants it asks for it. */
/** As a browser behind the proxy. The live world accepts only https. */
const AS_IT_IS = { 'accept-encoding': 'identity', 'x-forwarded-proto': 'https' }

/** Keeps cookies as a browser does. `headers`: what this browser says about where a form comes from, unless a call says otherwise. */
export function openBrowser({ origin }: Pick<Desk, 'origin'>, headers: Record<string, string> = {}) {
  const cookies = new Map<string, string>()
  type Given = { headers: Record<string, string>; body?: URLSearchParams | FormData }
  const call = async (method: string, path: string, { headers: more, body }: Given): Promise<Answer> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const all = { ...AS_IT_IS, ...headers, ...(cookie && { cookie }), ...more }
    const response = await sendForm(new URL(path, origin), method, { headers: all, body })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /Max-Age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    const { status, headers: got, text: whole } = response
    const text = whole.replace(/<style>[^<]*<\/style>/, '')
    return { status, headers: got, text, whole, location: got.get('location') }
  }
  return {
    cookies,
    get: (path: string, more: Record<string, string> = {}) => call('GET', path, { headers: more }),
    post: (path: string, form: Record<string, string>, more: Record<string, string> = {}) =>
      call('POST', path, {
        body: new URLSearchParams(form),
        headers: { origin, 'sec-fetch-site': 'same-origin', ...more },
      }),
    /** A form with files. */
    postFiles: (path: string, form: Record<string, string | Blob>, more: Record<string, string> = {}) => {
      const body = new FormData()
      for (const [name, value] of Object.entries(form)) body.set(name, value)
      return call('POST', path, { body, headers: { origin, 'sec-fetch-site': 'same-origin', ...more } })
    },
    /** As the console's script posts. */
    postJson: (path: string, body: object, more: Record<string, string> = {}) =>
      call('POST', path, {
        body: new URLSearchParams({ json: JSON.stringify(body) }),
        headers: { origin, 'sec-fetch-site': 'same-origin', ...more },
      }),
  }
}

type Form = { headers: Record<string, string>; body: URLSearchParams | FormData | undefined }

/** A form with files is written by `fetch`. */
async function sendForm(url: URL, method: string, { headers, body }: Form): Promise<LightAnswer> {
  if (!(body instanceof FormData)) return send(url, { method, headers, ...(body && { body }) })
  const answer = await fetch(url, { method, headers, body, redirect: 'manual' })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

/** Returns the hidden fields of a page's forms. */
export const hiddenIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  )

export type TestBrowser = ReturnType<typeof openBrowser>

export type Phone = ReturnType<typeof createAuthenticator>

/** Gives the person a passkey. `origin`: of the console where it was made. */
export async function addPhone(
  { db }: Context,
  { origin }: Pick<Desk, 'origin'>,
  id: string,
): Promise<Phone> {
  const phone = createAuthenticator()
  const request = { challenge: 'a'.repeat(43), origin }
  const passkey = await readNewPasskey(id, phone.create(request), request)
  if (!passkey) throw new Error('The passkey was not accepted.')
  await inTransaction(db, (tx) => insertPasskey(tx, passkey, new Date()))
  return phone
}

/** Gives the person a passkey. The returned browser shows it whenever a form comes back with the question for it. */
export async function withPasskey(
  ctx: Context,
  desk: Pick<Desk, 'origin'>,
  { browser, id }: { browser: TestBrowser; id: string },
): Promise<TestBrowser> {
  return showing(browser, await addPhone(ctx, desk, id), desk)
}

/** Returns the form that came back with the question for the passkey, with its answer. */
export function shownIn(
  text: string,
  phone: Phone,
  { origin }: Pick<Desk, 'origin'>,
): Record<string, string> {
  const [, question = '{}'] = /data-again="([^"]+)"/.exec(text) ?? []
  const { challenge } = JSON.parse(question.replaceAll('&quot;', '"'))
  return { ...hiddenIn(text), json: JSON.stringify(phone.get({ challenge, origin })) }
}

/** Returns the browser as one that shows this passkey whenever a form comes back with the question for it. */
export function showing(browser: TestBrowser, phone: Phone, { origin }: Pick<Desk, 'origin'>): TestBrowser {
  return {
    ...browser,
    async post(path, form, more) {
      const answer = await browser.post(path, form, more)
      if (answer.status !== 422 || !answer.text.includes('data-again="')) return answer
      return browser.post(path, shownIn(answer.text, phone, { origin }), more)
    },
  }
}

/** Adds a person with a role, and signs this person in. */
export async function openAs(
  ctx: Context,
  desk: Pick<Desk, 'origin'>,
  values: Omit<Parameters<typeof addUser>[1], 'name'> & { name?: string },
): Promise<{ browser: TestBrowser; id: string }> {
  const { operator } = await addUser(ctx, { name: `A ${values.role}`, ...values })
  const browser = openBrowser(desk)
  const secret = await inTransaction(ctx.db, (tx) => openSession(tx, operator.id, '127.0.0.1'))
  browser.cookies.set('kassa_console_session', secret)
  return { browser, id: operator.id }
}

/** Lets so much time pass for the person's sessions that the second factor counts no more. */
export async function forgetProofs({ db }: Pick<Context, 'db'>, operatorId: string): Promise<void> {
  await db.query(
    `update kassa.console_sessions set money_proved_at = money_proved_at - interval '16 minutes',
       redirect_proved_at = redirect_proved_at - interval '16 minutes' where operator_id = $1`,
    [operatorId],
  )
}
