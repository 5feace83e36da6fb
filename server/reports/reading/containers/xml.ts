/**
 * Reads XML as a stream of elements. Entities that a document defines itself are not expanded, so none can grow without end, and
 * nothing outside of the document is read.
 */
import { Parser } from 'htmlparser2'

/** `path`: the local names of the elements that are open, from the outermost. */
export type XmlHandlers = {
  open?(path: readonly string[], attributes: Record<string, string>): void
  close?(path: readonly string[], text: string): void
}

const TEXT_CHARS_MAX = 4_096

export function newXmlReader({ open, close }: XmlHandlers): { write(text: string): void; end(): void } {
  const path: string[] = []
  let text = ''
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        path.push(name.replace(/^.*:/, ''))
        text = ''
        open?.(path, attributes)
      },
      ontext(part) {
        if (text.length < TEXT_CHARS_MAX) text += part
      },
      onclosetag() {
        close?.(path, text.trim())
        path.pop()
        text = ''
      },
    },
    { xmlMode: true, decodeEntities: true },
  )
  return { write: (part) => parser.write(part), end: () => parser.end() }
}
