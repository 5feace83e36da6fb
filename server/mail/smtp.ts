/**
 * One session with the mail server: connect, log in, send one message.
 * Rule: a server on another machine gets nothing without TLS. Every step has a time limit, because a mail server may hang at any of
 * them.
 */
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Context } from '../context.ts'
import { explainFailure, type Trouble } from './explain.ts'

export type SmtpServer = NonNullable<Context['config']['smtpServer']>

export type Limits = {
  connectMs: number
  greetMs: number
  /**
   * The longest silence. A server may check a message for minutes after reading it. If we gave up earlier, the buyer would get
   * the mail twice.
   */
  silenceMs: number
  /** The whole session. */
  wholeMs: number
}
export const LIMITS: Limits = {
  connectMs: 15_000,
  greetMs: 15_000,
  silenceMs: 5 * 60_000,
  wholeMs: 8 * 60_000,
}

/** `messageId` has no angle brackets. */
export type Message = {
  messageId: string
  from: { name: string; address: string }
  to: string
  replyTo?: string
  subject: string
  text: string
  html: string
  date: Date
}

/** `unsent`: the server has not accepted the message, so sending it again cannot deliver it twice. */
export type SendResult = { kind: 'accepted' } | ({ kind: 'refused' | 'failed'; unsent: boolean } & Trouble)

/** Sends one message. Never throws. `stop` aborts the session at any step. */
export async function sendMessage(
  server: SmtpServer,
  message: Message,
  { limits = LIMITS, stop }: { limits?: Limits; stop?: AbortSignal } = {},
): Promise<SendResult> {
  const raw = await build(message)
  let unsent = true
  try {
    await withSession(server, { limits, stop }, async (connection) => {
      unsent = false
      const envelope = { from: message.from.address, to: message.to, size: raw.length }
      await called((done) => connection.send(envelope, raw, done))
    })
    return { kind: 'accepted' }
  } catch (error) {
    const trouble = explainFailure(error, server)
    return {
      kind: trouble.isFinal ? 'refused' : 'failed',
      unsent: unsent || trouble.code !== null,
      ...trouble,
    }
  }
}

/** Connects and logs in, and sends nothing. Returns null on success, else what is wrong. */
export async function tryServer(server: SmtpServer, limits: Limits = LIMITS): Promise<Trouble | null> {
  try {
    await withSession(server, { limits: { ...limits, wholeMs: 30_000 } }, async () => {})
    return null
  } catch (error) {
    return explainFailure(error, server)
  }
}

async function withSession(
  server: SmtpServer,
  { limits, stop }: { limits: Limits; stop?: AbortSignal | undefined },
  run: (connection: SMTPConnection) => Promise<void>,
): Promise<void> {
  const { host, port, isEncrypted, isLoopback, login } = server
  // Loaded with the first mail, because many services send none.
  const { default: Connection } = await import('nodemailer/lib/smtp-connection')
  const connection = new Connection({
    host,
    port,
    secure: isEncrypted,
    requireTLS: !isEncrypted && !isLoopback,
    ignoreTLS: !isEncrypted && isLoopback,
    connectionTimeout: limits.connectMs,
    dnsTimeout: limits.connectMs,
    greetingTimeout: limits.greetMs,
    socketTimeout: limits.silenceMs,
    tls: { minVersion: 'TLSv1.2' },
  })
  const { promise: broken, reject } = Promise.withResolvers<never>()
  connection.once('error', reject)
  connection.once('end', () => reject(Object.assign(new Error('Connection closed'), { code: 'ECONNECTION' })))
  const giveUp = (why: string) => () => reject(Object.assign(new Error(why), { code: 'EABORT' }))
  const timer = setTimeout(giveUp('the session took too long'), limits.wholeMs)
  const stopped = giveUp('the service was stopped')
  stop?.addEventListener('abort', stopped, { once: true })
  if (stop?.aborted) stopped()
  const session = async () => {
    await called((done) => connection.connect((error) => done(error ?? null)))
    if (login) await called((done) => connection.login(login, done))
    await run(connection)
  }
  try {
    await Promise.race([broken, session()])
    connection.quit()
  } catch (error) {
    connection.close()
    throw error
  } finally {
    clearTimeout(timer)
    stop?.removeEventListener('abort', stopped)
    // The server may still report errors while it closes. They no longer matter.
    broken.catch(() => {})
    connection.on('error', () => {})
  }
}

function called(run: (done: (error: Error | null) => void) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  run((error) => (error ? reject(error) : resolve()))
  return promise
}

/**
 * Merchants choose these texts. A line break in a header would let them add headers. Marks of writing direction would let them show a
 * name backwards. `=?` begins a coded word, so mail programs would show another name than the one that was reviewed.
 */
function headerText(text: string): string {
  return text
    .replaceAll(/\p{Bidi_Control}/gu, '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll('=?', '= ?')
    .trim()
}

/** Without these marks a text of a shop or a buyer cannot turn around what stands beside it. */
const withoutOverrides = (text: string) => text.replaceAll(/[\u202a-\u202e\u2066-\u2069]/g, '')

async function build({ messageId, from, to, replyTo, subject, text, html, date }: Message): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const composer = new MailComposer({
    messageId: `<${messageId}>`,
    date,
    from: { name: headerText(from.name), address: from.address },
    to: { name: '', address: to },
    ...(replyTo && { replyTo: { name: '', address: replyTo } }),
    subject: headerText(subject),
    text: withoutOverrides(text),
    html: withoutOverrides(html),
    // Automatic responders should not reply to it (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}
