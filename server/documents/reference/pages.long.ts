import { testReference } from './pages.suite.ts'

testReference(['curl', 'node', 'python', 'php'])
