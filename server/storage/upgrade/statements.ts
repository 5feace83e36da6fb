/** Splits the text of a migration into its statements. */

/** Matches a comment, a text, a quoted name, a function's body, the end of a statement, or anything else. */
const PIECE = /--[^\n]*|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$|;|[^-/'"$;]+|./g

/** Returns the statements without comments and without the semicolons between them. */
export function splitStatements(text: string): string[] {
  const statements: string[] = []
  let statement = ''
  for (const [piece] of text.matchAll(PIECE)) {
    if (piece === ';') {
      statements.push(statement)
      statement = ''
    } else if (piece.startsWith('--') || piece.startsWith('/*')) statement += ' '
    else statement += piece
  }
  return [...statements, statement].map((each) => each.trim()).filter((each) => each !== '')
}
