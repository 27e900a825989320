package main

import (
	"fmt"
	"os"
	"testing"
)

// harness is what HashiCorp's test harness asks of a test: here its failures end the program.
type harness struct {
	testing.TB
}

func (harness) Name() string                 { return "lictor" }
func (harness) Helper()                      {}
func (harness) Cleanup(func())               {}
func (harness) Failed() bool                 { return false }
func (harness) Log(...any)                   {}
func (harness) Logf(string, ...any)          {}
func (harness) Fatal(args ...any)            { fail(fmt.Sprint(args...)) }
func (harness) Fatalf(f string, args ...any) { fail(fmt.Sprintf(f, args...)) }
func (harness) Error(args ...any)            { fail(fmt.Sprint(args...)) }
func (harness) Errorf(f string, args ...any) { fail(fmt.Sprintf(f, args...)) }
func (harness) Fail()                        { fail("a helper of the harness failed") }
func (harness) FailNow()                     { fail("a helper of the harness failed") }

// fail ends the program, and the agent with it.
func fail(text string) {
	fmt.Println("the test harness:", text)
	if server != nil {
		_ = server.Stop()
	}
	os.Exit(1)
}
