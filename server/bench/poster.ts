/** The other side of the deliveries: `receive` is a fast receiver, and `post` a plain loop that posts to it. */
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

const [task, port, atOnce, body = ''] = process.argv.slice(2)
process.on('disconnect', () => process.exit())

function receive(): void {
  const server = createServer((incoming, answer) => incoming.resume().on('end', () => answer.end('ok')))
  server.keepAliveTimeout = 120_000
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
}

const agent = new Agent({ keepAlive: true })
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
const post = () =>
  new Promise<void>((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port, method: 'POST', path: '/', headers, agent }, (answer) =>
      answer.resume().on('end', resolve),
    )
    call.on('error', reject).end(body)
  })

/** Returns the seconds that `count` posts take. */
async function postAll(count: number): Promise<number> {
  let left = count
  const started = performance.now()
  const work = async () => {
    while (left-- > 0) await post()
  }
  await Promise.all(Array.from({ length: Number(atOnce) }, work))
  return (performance.now() - started) / 1000
}

if (task === 'receive') receive()
else {
  process.on('message', async (count) => process.send?.(await postAll(Number(count))))
  process.send?.(0)
}
