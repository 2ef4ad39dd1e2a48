import { testScripts } from './test-scripts.ts'

testScripts(0, 2)
