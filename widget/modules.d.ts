/** The package itself, where its name stands for our part of it. See no-computed.ts. */
declare module '*/signals-core.mjs'

/** A style sheet as text. The build minifies it. */
declare module '*.css?inline' {
  const css: string
  export default css
}
