/** A slow proxy in front of the gallery. Each page arrives in pieces with pauses between them, and its pictures arrive last. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const PIECES = 6
/** The pause is long enough for several frames, so that the browser paints what has arrived. */
const PAUSE_MS = 60
/** The pause after the last piece of a page. */
const PICTURE_MS = (PIECES + 2) * PAUSE_MS

export type SlowPages = { url: string; close(): Promise<void> }

/** `origin`: the server whose files are forwarded. */
export async function serveSlowly(origin: string): Promise<SlowPages> {
  const server = createServer(async (request, response) => {
    const answer = await fetch(origin + request.url, { redirect: 'manual' })
    const type = answer.headers.get('content-type') ?? ''
    response.writeHead(answer.status, { 'content-type': type, 'cache-control': 'no-store' })
    if (type.startsWith('image/')) await sleep(PICTURE_MS)
    if (!type.startsWith('text/html')) return void response.end(Buffer.from(await answer.arrayBuffer()))
    for (const piece of piecesOf(await answer.text())) {
      response.write(piece)
      await sleep(PAUSE_MS)
    }
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Returns the head with the start of the body, and then the body in pieces that begin with a tag. The last piece is the footer. */
function piecesOf(html: string): string[] {
  const [from, to] = [html.indexOf('<body'), html.lastIndexOf('<footer')]
  const cuts = [to]
  for (let piece = 1; piece < PIECES; piece++) {
    const at = html.indexOf('<', from + Math.trunc(((to - from) * piece) / PIECES))
    if (at > from && at < to) cuts.push(at)
  }
  const places = [0, ...new Set(cuts.sort((a, b) => a - b)), html.length]
  return places.slice(1).map((end, at) => html.slice(places[at], end))
}
