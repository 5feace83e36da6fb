/** The reverse proxies' files as they stand, with only addresses and the certificate's place replaced. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { openSession } from '../access/sessions.ts'
import { addUser } from '../access/users.ts'
import { inTransaction } from '../storage/db.ts'
import { sendRaw } from '../testing/attacks/raw-http.ts'
import { type Desk, startDesk } from '../testing/console.ts'
import { freePort, type Kassa, openShop, type Shop, startKassa } from '../testing/harness.ts'
import { findProgram } from '../testing/pooler.ts'
import { endProcess, startProgram, type TestProcess } from '../testing/processes/child-process.ts'

const SITE = 'pay.example'
const DESK = 'desk.example'
const WRONG_TOKENS_A_MINUTE = 10
/** The requests that one address may have under way. */
const AT_ONCE = 200
const BODY_BYTES = 1_000
/** More than a proxy lets through by itself, or than the console keeps. */
const VIDEO_BYTES = 80_000_000
const BOUNDARY = '----FormBoundaryOfATest0123456789'
const fileOf = (name: string) => readFile(fileURLToPath(new URL(name, import.meta.url)), 'utf8')

type Proxy = { child: TestProcess; https: number; http: number }
/** `kassa`, `desk`: where the service and its console listen. */
type Ports = { https: number; http: number; kassa: string; desk: string; folder: string }

const PROXIES: Record<string, (program: string, ports: Ports) => Promise<TestProcess>> = {
  async nginx(program, { https, http, kassa, desk, folder }) {
    const site = (await fileOf('nginx.conf'))
      .replaceAll(/listen (\[::\]:)?80;/g, (_, v6) => (v6 ? '' : `listen 127.0.0.1:${http};`))
      .replaceAll(/listen (\[::\]:)?443/g, (_, v6) =>
        v6 ? `listen [::1]:${https}` : `listen 127.0.0.1:${https}`,
      )
      .replace('127.0.0.1:3000', kassa)
      .replace('127.0.0.1:3001', desk)
      .replaceAll('/etc/ssl/kassa', folder)
      .replaceAll('/var/www/html', folder)
    await writeFile(
      join(folder, 'nginx.conf'),
      `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}\nhttp {\naccess_log off;\n` +
        ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
          .map((name) => `${name}_temp_path ${folder}/${name};\n`)
          .join('') +
        `${site}\n}\n`,
    )
    return startProgram(program, ['-c', join(folder, 'nginx.conf'), '-p', folder], { env: {} })
  },
  async caddy(program, { https, http, kassa, desk, folder }) {
    const certificate = `tls ${folder}/fullchain.pem ${folder}/privkey.pem`
    const site = (await fileOf('Caddyfile')).replaceAll(
      /^\{\$(CONSOLE_)?SITE:.*\} \{$/gm,
      (head) => `${head}\n\t${certificate}`,
    )
    const ports = `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n}\n`
    await writeFile(join(folder, 'Caddyfile'), ports + site)
    return startProgram(program, ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'], {
      env: {
        SITE,
        UPSTREAM: kassa,
        CONSOLE_SITE: DESK,
        CONSOLE_UPSTREAM: desk,
        HOME: folder,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
      },
    })
  },
}

let kassa: Kassa
let shop: Shop
let desk: Desk
let folder: string
beforeAll(async () => {
  kassa = await startKassa({
    settings: {
      TRUST_PROXY: '1',
      BASE_URL: `https://${SITE}`,
      RATE_LIMITS: 'callback=1000:1000,callback_rejected=1000:1000',
    },
  })
  shop = await openShop(kassa.ctx)
  desk = await startDesk(kassa.worlds, `https://${DESK}`)
  folder = await mkdtemp(join(tmpdir(), 'kassa-proxy-'))
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync(
    'openssl',
    [
      ...made,
      '-days',
      '1',
      '-subj',
      `/CN=${SITE}`,
      '-addext',
      `subjectAltName=DNS:${SITE},DNS:${DESK}`,
    ].concat(['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')]),
    { stdio: 'ignore' },
  )
})
afterAll(async () => {
  await desk.close()
  await kassa.close()
  await rm(folder, { recursive: true, force: true })
})

type Reply = { status: number; body: string; headers: Record<string, unknown> }
type Call = {
  method?: string
  headers?: Record<string, string>
  body?: string
  address?: string
  site?: string
}

/** Sends a request over TLS, as a caller does who knows only the site's name. */
function send(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body = '', address, site = SITE }: Call = {},
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const options = { host: '127.0.0.1', port, path, method, servername: site, rejectUnauthorized: false }
  const from = address === undefined ? {} : { localAddress: address }
  const sent = request({ ...options, ...from, headers: { Host: site, ...headers } }, (response) => {
    let text = ''
    response.on('data', (chunk) => {
      text += chunk
    })
    response.on('end', () =>
      resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
    )
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}

/** A callback whose body does not end. */
async function beginSlowly(port: number): Promise<{ socket: TLSSocket; heard: () => string }> {
  const options = { host: '127.0.0.1', port, servername: SITE, rejectUnauthorized: false }
  const socket = connect({ ...options, ALPNProtocols: ['http/1.1'] })
  let heard = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => {
    heard += chunk
  })
  await once(socket, 'secureConnect')
  const account = kassa.ctx.routes.route_a.id
  socket.write(
    `POST /callbacks/${account} HTTP/1.1\r\nHost: ${SITE}\r\nContent-Length: ${BODY_BYTES + 1}\r\n\r\nx`,
  )
  return { socket, heard: () => heard }
}

for (const [name, start] of Object.entries(PROXIES)) {
  const program = findProgram(name)
  if (!program) console.error(`The tests behind ${name} are skipped: it is not installed.`)

  describe.skipIf(!program)(`behind ${name}`, () => {
    let proxy: Proxy
    beforeAll(async () => {
      const [https, http] = [await freePort(), await freePort()]
      const child = await start(program ?? '', {
        https,
        http,
        folder,
        kassa: new URL(kassa.url).host,
        desk: new URL(desk.url).host,
      })
      proxy = { child, https, http }
      const ready = () =>
        send(https, '/api/health').then(
          ({ status }) => status,
          () => 0,
        )
      await vi.waitUntil(async () => (await ready()) === 200, { timeout: 60_000, interval: 50 })
    })
    afterAll(() => endProcess(proxy.child, 'SIGTERM'))

    test('a shop creates a payment, and its pages lead back to the site', async () => {
      const created = await send(proxy.https, '/v1/payment-sessions', {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${shop.token}`,
          'Content-Type': 'application/json',
          'Idempotency-Key': `behind-${name}`,
        },
        body: JSON.stringify({
          merchantOrderId: `order-${name}`,
          amountMinor: 1500,
          currency: 'EUR',
          returnUrl: 'https://shop.example/thanks',
        }),
      })
      expect(created.status).toBe(201)
      const { checkoutUrl } = JSON.parse(created.body)
      expect(checkoutUrl).toMatch(new RegExp(`^https://${SITE}/checkout/`))
      const page = await send(proxy.https, new URL(checkoutUrl).pathname)
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
    })

    test('probes stay inside', async () => {
      for (const path of ['/livez', '/readyz']) expect((await send(proxy.https, path)).status).toBe(404)
    })

    test('plain HTTP leads to the site over TLS, but not a program that would go on without TLS', async () => {
      const ask = (path: string) =>
        sendRaw(`http://127.0.0.1:${proxy.http}`, `GET ${path} HTTP/1.1\r\nHost: ${SITE}\r\n\r\n`)
      const page = await ask('/docs?q=1')
      expect([301, 308]).toContain(page.status)
      expect(page.headers.location).toBe(`https://${SITE}/docs?q=1`)
      for (const path of ['/v1/payments', '/V1/payments', '/api/widget/checkout', '/callbacks/acc_1']) {
        const { status, headers } = await ask(path)
        expect([path, status, headers.location]).toEqual([path, 403, undefined])
      }
    })

    // Caddy answers a certificate authority by itself.
    if (name === 'nginx')
      test('a certificate authority finds its file without TLS', async () => {
        const challenge = '.well-known/acme-challenge'
        await mkdir(join(folder, challenge), { recursive: true, mode: 0o755 })
        await chmod(folder, 0o755)
        await writeFile(join(folder, challenge, 'token'), 'proof')
        const reply = await fetch(`http://127.0.0.1:${proxy.http}/${challenge}/token`, {
          redirect: 'manual',
          headers: { Host: SITE },
        })
        expect([reply.status, await reply.text()]).toEqual([200, 'proof'])
      })

    test('a caller cannot choose its own address', async () => {
      const statuses = []
      for (let count = 0; count <= WRONG_TOKENS_A_MINUTE; count++) {
        const headers = {
          Authorization: 'Bearer ksk_sandbox_wrong',
          'X-Forwarded-For': `198.51.100.${count}`,
        }
        statuses.push((await send(proxy.https, '/v1/payments?paymentId=pay_test_1', { headers })).status)
      }
      expect(statuses).toContain(429)
    })

    test('one address has a limited number of slow requests under way, and another address is served meanwhile', async () => {
      const { buckets } = kassa.ctx
      let admitted = 0
      kassa.ctx.buckets = {
        ...buckets,
        take(key, ...given) {
          if (key.startsWith('callback ')) admitted++
          return buckets.take(key, ...given)
        },
      }
      const open = await Promise.all(Array.from({ length: AT_ONCE + 40 }, () => beginSlowly(proxy.https)))
      const refused = () => open.filter(({ heard }) => /^HTTP\/1\.1 429 /.test(heard())).length
      try {
        // nginx reads the body before it asks the service. Caddy passes on what arrives.
        if (name === 'caddy') await expect.poll(() => admitted).toBe(AT_ONCE)
        const other = await send(proxy.https, '/docs', { address: '127.0.0.2' })
        expect(other.status).toBe(200)
        // Caddy hands over an early response only after the body.
        if (name === 'caddy') for (const { socket } of open) socket.write('x'.repeat(BODY_BYTES))
        await expect.poll(refused).toBe(40)
      } finally {
        for (const { socket } of open) socket.destroy()
        kassa.ctx.buckets = buckets
      }
    })

    test('a body that is too large is refused, by the proxy or by the service', async () => {
      const body = 'x'.repeat(300 * 1024)
      const headers = {
        Authorization: `Bearer ${shop.token}`,
        'Content-Type': 'application/json',
        'Content-Length': String(body.length),
      }
      expect(
        (await send(proxy.https, '/v1/payment-sessions', { method: 'POST', headers, body })).status,
      ).toBe(413)
    })

    test('the console has its own name, its cookies and its headers', async () => {
      const ask = (path: string, given: Call = {}) => send(proxy.https, path, { ...given, site: DESK })
      const { user } = await addUser(kassa.ctx, {
        name: `Behind ${name}`,
        role: 'administrator' as const,
        email: `${name}@pay.example`,
      })
      const secret = await inTransaction(kassa.ctx.db, (tx) => openSession(tx, user?.id ?? '', '127.0.0.1'))
      const cookie = `__Host-kassa_console_session=${secret}`
      const page = await ask('/sandbox/today', { headers: { cookie } })
      expect([page.status, page.body.includes('Find a payment')]).toEqual([200, true])
      expect(page.headers).toMatchObject({
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
        'x-frame-options': 'DENY',
        'cache-control': 'no-store',
        'referrer-policy': 'same-origin',
        'strict-transport-security': expect.stringContaining('max-age='),
      })
      // Without the prefix a cookie may come from a sibling host.
      const sibling = await ask('/sandbox/today', { headers: { cookie: cookie.slice('__Host-'.length) } })
      expect([sibling.status, sibling.headers.location]).toEqual([303, '/sign-in?to=%2Fsandbox%2Ftoday'])
      const chosen = await ask('/sign-in?locale=ru')
      expect(chosen.headers['set-cookie']).toEqual([
        expect.stringMatching(
          /^__Host-kassa_console_locale=ru;.* Path=\/;.* HttpOnly; Secure; SameSite=Strict/,
        ),
      ])
      for (const path of ['/livez', '/readyz']) expect((await ask(path)).status).toBe(404)
      // The two names have nothing of each other.
      expect((await send(proxy.https, '/sandbox/today', { headers: { cookie } })).status).toBe(404)
      expect((await ask('/v1/payments')).status).toBe(404)
    })

    test('a form of the console comes from its own name, and may carry a photo', {
      tags: ['long'],
    }, async () => {
      const { user } = await addUser(kassa.ctx, {
        name: `Photo ${name}`,
        role: 'administrator' as const,
        email: `photo-${name}@pay.example`,
      })
      const secret = await inTransaction(kassa.ctx.db, (tx) => openSession(tx, user?.id ?? '', '127.0.0.1'))
      const post = async (origin: string, bytes: number) => {
        const text = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="logo"; filename="a.png"\r\n\r\n`
        const body = `${text}${'x'.repeat(bytes)}\r\n--${BOUNDARY}--\r\n`
        const headers = {
          cookie: `__Host-kassa_console_session=${secret}`,
          origin,

          'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
          'content-length': String(body.length),
        }
        const path = `/sandbox/shops/${shop.merchantId}/brand`
        return send(proxy.https, path, { method: 'POST', headers, body, site: DESK })
      }
      expect((await post(`https://${SITE}`, 100)).status).toBe(403)
      // It reached the console, which says what is wrong with this picture.
      const large = await post(`https://${DESK}`, 4_000_000)
      expect([large.status, large.headers['x-request-id']]).toEqual([422, expect.stringMatching(/^req_/)])
      const video = await post(`https://${DESK}`, VIDEO_BYTES)
      expect([video.status, video.headers['x-request-id']]).toEqual([422, expect.stringMatching(/^req_/)])
    })
  })
}
