package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type connectResult struct {
	Mode        string   `json:"mode"`
	Conns       int      `json:"conns"`
	Open        int      `json:"open_after_hold"`
	Errors      uint64   `json:"errors"`
	ErrorText   []string `json:"error_text,omitempty"`
	ConnectS    float64  `json:"connect_s"`
	HoldS       float64  `json:"hold_s"`
	FirstUs     latency  `json:"first_answer_us"`
	RSSBeforeKB int64    `json:"server_rss_before_kb,omitempty"`
	RSSAfterKB  int64    `json:"server_rss_after_kb,omitempty"`
	KBPerConn   float64  `json:"kb_per_conn"`
	ServerCPUS  float64  `json:"server_cpu_s,omitempty"`
	IdleCPUS    float64  `json:"server_cpu_s_while_idle,omitempty"`
}

// runConnect opens n connections, asks one route on each so that the server has
// set every one of them up, leaves them idle, and looks at the server's memory.
func runConnect(t *topology, o *options) (connectResult, error) {
	res := connectResult{Mode: "connect", Conns: o.n, HoldS: o.hold}
	res.RSSBeforeKB = o.pids.rssKB()
	c0, t0 := o.pids.cpu(), now()
	conns := make([]*client, o.n)
	var next atomic.Int64
	var wg sync.WaitGroup
	var mu sync.Mutex
	var h hist
	fail := func(err error) {
		mu.Lock()
		res.Errors++
		if len(res.ErrorText) < 5 {
			res.ErrorText = append(res.ErrorText, err.Error())
		}
		mu.Unlock()
	}
	for w := 0; w < o.conc; w++ {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				i := int(next.Add(1)) - 1
				if i >= o.n {
					return
				}
				c, err := dial(o.addr)
				if err != nil {
					fail(err)
					continue
				}
				conns[i] = c
				topic := i % t.topics
				at := now()
				code, b, err := c.call(t.routeRequest(topicName(topic), o.binary))
				took := now() - at
				if err == nil && code != rcSuccess {
					err = fmt.Errorf("route of %s: code %d", topicName(topic), code)
				}
				if err == nil {
					err = t.checkRoute(topic, b)
				}
				if err != nil {
					fail(err)
					continue
				}
				mu.Lock()
				h.add(took)
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	res.ConnectS = round(float64(now()-t0)/1e9, 3)
	res.FirstUs = h.micros()
	c1 := o.pids.cpu()
	res.ServerCPUS = round(c1-c0, 2)
	time.Sleep(time.Duration(o.hold * 1e9))
	res.IdleCPUS = round(o.pids.cpu()-c1, 2)
	res.RSSAfterKB = o.pids.rssKB()
	for _, c := range conns {
		if c == nil {
			continue
		}
		c.c.SetReadDeadline(time.Now().Add(time.Millisecond / 10))
		var b [1]byte
		if _, err := c.c.Read(b[:]); err != nil {
			if ne, ok := err.(net.Error); ok && ne.Timeout() {
				res.Open++
			}
		}
	}
	if len(o.pids) > 0 && res.Open > 0 {
		res.KBPerConn = round(float64(res.RSSAfterKB-res.RSSBeforeKB)/float64(res.Open), 2)
	}
	for _, c := range conns {
		if c != nil {
			c.c.Close()
		}
	}
	return res, nil
}

type startRun struct {
	ReadyMs float64 `json:"ready_ms"`
	CPUS    float64 `json:"cpu_s"`
	RSSKB   int64   `json:"rss_kb"`
	IdleKB  int64   `json:"rss_idle_kb"`
}

type startResult struct {
	Mode    string     `json:"mode"`
	Errors  uint64     `json:"errors"`
	Runs    []startRun `json:"runs"`
	ReadyMs float64    `json:"ready_ms"`
	RSSKB   float64    `json:"rss_kb"`
	IdleKB  float64    `json:"rss_idle_kb"`
}

// runStart starts the command n times and measures, from just before the start,
// the time until a broker has registered and its route has been answered right.
func runStart(t *topology, o *options, argv []string) (startResult, error) {
	res := startResult{Mode: "start"}
	runtime.LockOSThread() // the thread that starts it must live as long as it
	defer runtime.UnlockOSThread()
	for i := 0; i < o.n; i++ {
		if c, err := net.DialTimeout("tcp", o.addr, time.Second); err == nil {
			c.Close()
			return res, fmt.Errorf("something listens on %s already", o.addr)
		}
		cmd := exec.Command(argv[0], argv[1:]...)
		// It goes with this process, however that ends.
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		t0 := now()
		if err := cmd.Start(); err != nil {
			return res, err
		}
		r, err := untilReady(t, o, cmd.Process.Pid, t0)
		cmd.Process.Signal(syscall.SIGTERM)
		kill := time.AfterFunc(15*time.Second, func() { cmd.Process.Kill() })
		cmd.Wait()
		kill.Stop()
		if err != nil {
			return res, err
		}
		res.Runs = append(res.Runs, r)
	}
	pick := func(f func(startRun) float64) float64 {
		var v []float64
		for _, r := range res.Runs {
			v = append(v, f(r))
		}
		return median(v)
	}
	res.ReadyMs = pick(func(r startRun) float64 { return r.ReadyMs })
	res.RSSKB = pick(func(r startRun) float64 { return float64(r.RSSKB) })
	res.IdleKB = pick(func(r startRun) float64 { return float64(r.IdleKB) })
	return res, nil
}

func untilReady(t *topology, o *options, pid int, t0 int64) (startRun, error) {
	var r startRun
	end := time.Now().Add(60 * time.Second)
	var err error
	for time.Now().Before(end) {
		if err = oneAnswer(t, o); err == nil {
			r.ReadyMs = round(float64(now()-t0)/1e6, 1)
			p := procs{pid}
			r.CPUS, r.RSSKB = round(p.cpu(), 2), p.rssKB()
			time.Sleep(time.Duration(o.hold * 1e9))
			r.IdleKB = p.rssKB()
			return r, nil
		}
		time.Sleep(time.Millisecond)
	}
	return r, fmt.Errorf("no right answer within a minute: %w", err)
}

func oneAnswer(t *topology, o *options) error {
	c, err := dial(o.addr)
	if err != nil {
		return err
	}
	defer c.c.Close()
	bd := t.registerBody(0, 1, o.compress)
	code, _, err := c.call(t.registerHead(0, bd, o.binary), bd.head, bd.tail)
	if err == nil && code != rcSuccess {
		err = fmt.Errorf("registration: code %d", code)
	}
	if err != nil {
		return err
	}
	code, b, err := c.call(t.routeRequest(topicName(0), o.binary))
	if err == nil && code != rcSuccess {
		err = fmt.Errorf("route: code %d", code)
	}
	if err != nil {
		return err
	}
	return t.checkRoute(0, b)
}
