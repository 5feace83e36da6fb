/** An outgoing request over https is not sent if the server's certificate is not valid. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createOutbound } from './outbound.ts'

const folder = mkdtempSync(join(tmpdir(), 'kassa-certificate-'))
const servers: https.Server[] = []
const requests = { localhost: 0, elsewhere: 0 }
const outbound = createOutbound(['loopback'], { anyPort: true })
let ports: Record<keyof typeof requests, number>

/** Returns a self-signed certificate for this name. */
function certify(name: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`]
  const form = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  execFileSync('openssl', ['req', ...form, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
}

const certificates = { localhost: certify('localhost'), elsewhere: certify('elsewhere.example') }

async function serve(name: keyof typeof requests): Promise<number> {
  const server = https.createServer(certificates[name], (_, response) => {
    requests[name] += 1
    response.end('taken')
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

beforeAll(async () => {
  ports = { localhost: await serve('localhost'), elsewhere: await serve('elsewhere') }
})
afterAll(() => {
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true })
})

const letter = { headers: {}, body: '{}', timeoutMs: 5_000 }
const ask = (name: keyof typeof requests) =>
  outbound.request({
    method: 'GET',
    url: `https://localhost:${ports[name]}/`,
    headers: {},
    tls: { authority: certificates[name].cert },
    signal: AbortSignal.timeout(5_000),
    bytesMax: 1_000,
  })

test('a callback is not sent to a receiver whose certificate is not trusted', async () => {
  const answer = await outbound.post(`https://localhost:${ports.localhost}/`, letter)
  expect(answer).toMatchObject({ kind: 'failed', message: expect.stringMatching(/certificate/i) })
  expect(requests.localhost).toBe(0)
})

test('a provider is called if its certificate is trusted, and not if the certificate is for another name', async () => {
  expect((await ask('localhost')).statusCode).toBe(200)
  await expect(ask('elsewhere')).rejects.toThrow(/localhost|altnames|certificate/i)
  expect(requests).toEqual({ localhost: 1, elsewhere: 0 })
})

test('an authority of an account is trusted besides the public ones, and not in their place', async () => {
  const before = getCACertificates()
  setDefaultCACertificates([certificates.localhost.cert])
  try {
    const url = `https://localhost:${ports.localhost}/`
    const signal = AbortSignal.timeout(5_000)
    const tls = { authority: certificates.elsewhere.cert }
    const answer = await outbound.request({ method: 'GET', url, headers: {}, tls, signal, bytesMax: 1_000 })
    expect(answer.statusCode).toBe(200)
  } finally {
    setDefaultCACertificates(before)
  }
})

test('a certificate and its key may come in a PKCS#12 file', async () => {
  const { cert: authority } = certificates.localhost
  const [cert, key, file] = ['pem', 'key', 'p12'].map((end) => join(folder, `elsewhere.example.${end}`)) as [
    string,
    string,
    string,
  ]
  const inFile = ['-export', '-in', cert, '-inkey', key, '-passout', 'pass:planted', '-out', file]
  execFileSync('openssl', ['pkcs12', ...inFile], { stdio: 'ignore' })
  const asking = { ...certificates.localhost, requestCert: true, ca: certificates.elsewhere.cert }
  const server = https.createServer(asking, (_, response) => response.end('taken'))
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `https://localhost:${(server.address() as AddressInfo).port}/`
  const askWith = (tls: object) =>
    outbound.request({
      method: 'GET',
      url,
      headers: {},
      tls: { authority, ...tls },
      signal: AbortSignal.timeout(5_000),
      bytesMax: 1_000,
    })
  await expect(askWith({})).rejects.toThrow()
  const answer = await askWith({ bundle: readFileSync(file), passphrase: 'planted' })
  expect(answer.statusCode).toBe(200)
})
