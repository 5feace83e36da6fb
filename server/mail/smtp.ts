/**
 * One conversation with the mail server: connect, log in, hand over one message.
 * Rule: without TLS nothing is said to a server that is not on this machine. Every step has a limit, because a mail server may hang at
 * any of them.
 */
import MailComposer from 'nodemailer/lib/mail-composer'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Context } from '../context.ts'
import { explainFailure, type Trouble } from './explain.ts'

export type SmtpServer = NonNullable<Context['config']['smtpServer']>

export type Limits = {
  connectMs: number
  greetMs: number
  /** Between two signs of life. A server may take minutes over a message that it has read, and a mail that we give up is sent again. */
  silenceMs: number
  /** The whole conversation. */
  wholeMs: number
}
export const LIMITS: Limits = {
  connectMs: 15_000,
  greetMs: 15_000,
  silenceMs: 5 * 60_000,
  wholeMs: 8 * 60_000,
}

/** `messageId` without its angle brackets. */
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

/** `untouched`: the message was not handed over, so sending it again cannot double it. */
export type Sent = { kind: 'accepted' } | ({ kind: 'refused' | 'failed'; untouched: boolean } & Trouble)

/** Hands one message over. Never throws. `stop` ends the conversation where it stands. */
export async function sendMessage(
  server: SmtpServer,
  message: Message,
  { limits = LIMITS, stop }: { limits?: Limits; stop?: AbortSignal } = {},
): Promise<Sent> {
  const raw = await build(message)
  let untouched = true
  try {
    await converse(server, { limits, stop }, async (connection) => {
      untouched = false
      const envelope = { from: message.from.address, to: message.to, size: raw.length }
      await called((done) => connection.send(envelope, raw, done))
    })
    return { kind: 'accepted' }
  } catch (error) {
    const trouble = explainFailure(error, server)
    return {
      kind: trouble.isFinal ? 'refused' : 'failed',
      untouched: untouched || trouble.code !== null,
      ...trouble,
    }
  }
}

/** Connects and logs in, and sends nothing. Returns null if that works, else what is wrong. */
export async function tryServer(server: SmtpServer, limits: Limits = LIMITS): Promise<Trouble | null> {
  try {
    await converse(server, { limits: { ...limits, wholeMs: 30_000 } }, async () => {})
    return null
  } catch (error) {
    return explainFailure(error, server)
  }
}

async function converse(
  server: SmtpServer,
  { limits, stop }: { limits: Limits; stop?: AbortSignal | undefined },
  say: (connection: SMTPConnection) => Promise<void>,
): Promise<void> {
  const { host, port, isEncrypted, isLoopback, login } = server
  const connection = new SMTPConnection({
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
  const timer = setTimeout(giveUp('the conversation took too long'), limits.wholeMs)
  const stopped = giveUp('the service was stopped')
  stop?.addEventListener('abort', stopped, { once: true })
  if (stop?.aborted) stopped()
  const talk = async () => {
    await called((done) => connection.connect((error) => done(error ?? null)))
    if (login) await called((done) => connection.login(login, done))
    await say(connection)
  }
  try {
    await Promise.race([broken, talk()])
    connection.quit()
  } catch (error) {
    connection.close()
    throw error
  } finally {
    clearTimeout(timer)
    stop?.removeEventListener('abort', stopped)
    // The server may still close in its own way. Nobody waits for that.
    broken.catch(() => {})
    connection.on('error', () => {})
  }
}

function called(run: (done: (error: Error | null) => void) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  run((error) => (error ? reject(error) : resolve()))
  return promise
}

/** A name in a header is one line, whatever a merchant has written into it. */
const oneLine = (text: string) => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

async function build({ messageId, from, to, replyTo, subject, text, html, date }: Message): Promise<Buffer> {
  const composer = new MailComposer({
    messageId: `<${messageId}>`,
    date,
    from: { name: oneLine(from.name), address: from.address },
    to: { name: '', address: to },
    ...(replyTo && { replyTo: { name: '', address: replyTo } }),
    subject: oneLine(subject),
    text,
    html,
    // No machine should answer it (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return composer.compile().build()
}
