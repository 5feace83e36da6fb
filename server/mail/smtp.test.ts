/** The session with the mail server: encryption, certificates, login and header injection. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { type MailServer, startMailServer } from '../testing/mail-server.ts'
import { type Message, type SmtpServer, sendMessage, tryServer } from './smtp.ts'

const folder = mkdtempSync(join(tmpdir(), 'kassa-mail-'))
const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
const form = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost']
execFileSync('openssl', ['req', ...form, ...subject, '-keyout', keyFile, '-out', certFile], {
  stdio: 'ignore',
})
const [key, cert] = [readFileSync(keyFile, 'utf8'), readFileSync(certFile, 'utf8')]

const usual = getCACertificates()
const open: MailServer[] = []
async function serve(options: Parameters<typeof startMailServer>[0] = {}): Promise<MailServer> {
  const server = await startMailServer(options)
  open.push(server)
  return server
}
afterEach(async () => {
  setDefaultCACertificates(usual)
  await Promise.all(open.splice(0).map((each) => each.close()))
})
afterAll(() => rmSync(folder, { recursive: true }))

const message: Message = {
  messageId: 'mal_1@pay.example',
  from: { name: 'Shop', address: 'receipts@pay.example' },
  to: 'ani@example.com',
  subject: 'Receipt',
  text: 'Paid',
  html: '<p>Paid</p>',
  date: new Date(0),
}
const limits = { connectMs: 2_000, greetMs: 2_000, silenceMs: 2_000, wholeMs: 5_000 }
/** The settings of a server on another machine. The connection must be encrypted. */
const far = ({ port }: MailServer, changes: Partial<SmtpServer> = {}): SmtpServer => ({
  host: 'localhost',
  port,
  isEncrypted: false,
  isLoopback: false,
  ...changes,
})
const send = (server: SmtpServer) => sendMessage(server, message, { limits })

describe('a server that is not on this machine', () => {
  test('gets no mail without encryption', async () => {
    const server = await serve()
    expect(await send(far(server))).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining('The encrypted connection'),
    })
    expect(server.arrived).toEqual([])
  })

  test.each([
    ['by STARTTLS', {}],
    ['from the start', { secure: true }],
  ])('gets no mail if its certificate is not trusted (%s)', async (_, options) => {
    const server = await serve({ key, cert, ...options })
    const sent = await send(far(server, { isEncrypted: 'secure' in options }))
    expect(sent).toMatchObject({
      kind: 'failed',
      unsent: true,
      message: expect.stringMatching(/The encrypted connection.*failed.*certificate/),
    })
    expect(server.arrived).toEqual([])
  })

  test.each([
    ['by STARTTLS', {}],
    ['from the start', { secure: true }],
  ])('gets the login and the mail if its certificate is trusted (%s)', async (_, options) => {
    setDefaultCACertificates([...usual, cert])
    const server = await serve({ key, cert, ...options })
    const login = { user: 'kassa', pass: 'right' }
    expect(await send(far(server, { isEncrypted: 'secure' in options, login }))).toEqual({ kind: 'accepted' })
    expect(server.arrived).toMatchObject([{ isEncrypted: true, user: 'kassa', to: ['ani@example.com'] }])
  })

  test('gets no mail if its certificate is for another name', async () => {
    setDefaultCACertificates([...usual, cert])
    const server = await serve({ key, cert })
    expect(await send(far(server, { host: '127.0.0.1' }))).toMatchObject({ kind: 'failed' })
    expect(server.arrived).toEqual([])
  })
})

test('the message about a wrong password contains neither the password nor an address', async () => {
  setDefaultCACertificates([...usual, cert])
  const server = await serve({ key, cert })
  const trouble = await tryServer(far(server, { login: { user: 'kassa', pass: 'wrong-password' } }), limits)
  expect(trouble?.message).toMatch(/rejected the user or the password in SMTP_URL/)
  expect(trouble?.message).not.toMatch(/wrong-password|ani@example/)
  expect(await tryServer(far(server, { login: { user: 'kassa', pass: 'right' } }), limits)).toBe(null)
  expect(server.arrived).toEqual([])
})

test('the message about an unreachable server names its host and port', async () => {
  const server = await serve()
  await server.close()
  expect(await tryServer(far(server), limits)).toMatchObject({
    message: expect.stringContaining(`localhost:${server.port} could not be reached`),
  })
})

test.each([
  ['to', { to: 'ani@example.com>\r\nRCPT TO:<eve@evil.example' }],
  ['to', { to: 'ani@example.com, eve@evil.example' }],
  ['to', { to: 'ani@example.com\r\nBcc: eve@evil.example' }],
])('a mail with a line break or a second address in %s is sent to nobody', async (_, change) => {
  const server = await serve()
  const sent = await sendMessage(far(server, { isLoopback: true }), { ...message, ...change }, { limits })
  expect([sent.kind, server.arrived]).toEqual([expect.stringMatching(/^(failed|refused)$/), []])
})

test.each([
  ['replyTo', { replyTo: 'help@shop.example\r\nBcc: eve@evil.example' }],
  ['subject', { subject: 'Receipt\r\nBcc: eve@evil.example' }],
  ['name', { from: { name: 'Shop\nBcc: eve@evil.example', address: 'receipts@pay.example' } }],
  ['messageId', { messageId: 'mal_1@pay.example>\r\nBcc: eve@evil.example' }],
])('a line break in %s adds no recipient and no header to the mail', async (_, change) => {
  const server = await serve()
  const sent = await sendMessage(far(server, { isLoopback: true }), { ...message, ...change }, { limits })
  expect([sent, server.arrived.map(({ to }) => to)]).toEqual([{ kind: 'accepted' }, [['ani@example.com']]])
  expect(server.arrived[0]?.raw.split('\r\n\r\n')[0]).not.toMatch(/^bcc:/im)
})

test('a shop cannot add headers, choose a coded name or turn the text around', async () => {
  const server = await serve()
  const near = { ...far(server), isLoopback: true }
  const name = '=?utf-8?B?QmFuaw==?=\r\nBcc: x@example.com\u202e knaB =\u2066?utf-8?Q?Bank?=\u2028X: y'
  const hostile = {
    ...message,
    from: { ...message.from, name },
    subject: `Receipt ${name} \u202eՏէյ`,
    text: 'to \u202eknaB',
    html: '<p>to \u202eknaB</p>',
  }
  expect(await sendMessage(near, hostile, { limits })).toEqual({ kind: 'accepted' })
  const raw = server.arrived[0]?.raw ?? ''
  const [head = ''] = raw.split('\r\n\r\n')
  const unfolded = head.replaceAll(/\r\n[ \t]+/g, ' ')
  expect(unfolded).not.toMatch(/^(Bcc|X):/m)
  const decoded = decodeWords(unfolded)
  expect(decoded).toMatch(/^From: "= \?utf-8\?B\?QmFuaw==/m)
  expect(decodeWords(decoded)).toBe(decoded)
  expect(decodeURIComponent(decoded)).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/)
  expect(raw).not.toMatch(/\u202e|=E2=80=AE/)
})

/** Decodes the coded words of a header, as a mail program does. */
function decodeWords(text: string): string {
  return text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([BQ])\?([^?]*)\?=/gi, (_, kind, word) =>
      kind.toUpperCase() === 'B'
        ? Buffer.from(word, 'base64').toString()
        : Buffer.from(
            word
              .replaceAll('_', ' ')
              .replaceAll(/=([0-9A-F]{2})/gi, (_: string, hex: string) =>
                String.fromCharCode(Number.parseInt(hex, 16)),
              ),
            'latin1',
          ).toString(),
    )
}
