/** The reverse proxy in front of a deployment: it ends TLS for several public hosts, and is the way of a browser to them. */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Returns the address of an HTTP proxy for a browser that ignores certificates. `origins`: the origin on this machine for each
 * public host. It is read at each request. Any other host cannot be reached.
 */
export async function startTlsFront(origins: Record<string, string>): Promise<string> {
  const ended = https.createServer(certify(), (request, response) => pass(origins, request, response))
  const proxy = http.createServer((_, response) => response.writeHead(403).end())
  proxy.on('connect', ({ url = '' }, socket) => {
    socket.on('error', () => {})
    if (!origins[url.replace(/:443$/, '')]) return void socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    ended.emit('connection', socket)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

function pass(origins: Record<string, string>, request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '/', headers } = request
  const forwarded = { ...headers, 'x-forwarded-proto': 'https', 'x-forwarded-for': '127.0.0.1' }
  const onward = http.request(new URL(url, origins[headers.host ?? '']), { method, headers: forwarded })
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  onward.on('error', () => response.destroy())
  request.pipe(onward)
}

function certify(): { cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'kassa-front-'))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const form = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2']
  try {
    const files = ['-keyout', key, '-out', cert]
    execFileSync('openssl', ['req', ...form, '-subj', '/CN=pay.example', ...files], { stdio: 'ignore' })
    return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
