package main

import (
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// routePlan is what every route connection shares.
type routePlan struct {
	t      *topology
	o      *options
	reqs   []request
	okLen  []atomic.Int32 // body length of each topic's last verified route
	begin  int64          // start of the measured period
	end    int64
	abort  atomic.Bool
	errMu  sync.Mutex
	errors []string
}

func (p *routePlan) note(err error) {
	p.errMu.Lock()
	if len(p.errors) < 5 {
		p.errors = append(p.errors, err.Error())
	}
	p.errMu.Unlock()
}

type slot struct {
	sent   int64
	opaque uint32
	topic  int32
}

type routeConn struct {
	p      *routePlan
	c      net.Conn
	rng    uint64
	slots  []slot
	mask   uint32
	gen    uint32
	wbuf   []byte
	fresh  []int32 // slots whose requests wait in wbuf
	h      hist
	bytes  uint64
	errs   uint64
	checks uint64
	seen   uint64
	open   int
}

func newRouteConn(p *routePlan, c net.Conn, seed uint64) *routeConn {
	n := 1
	for n < p.o.window {
		n *= 2
	}
	return &routeConn{p: p, c: c, rng: seed*0x9e3779b97f4a7c15 + 1, slots: make([]slot, n), mask: uint32(n - 1)}
}

func (rc *routeConn) issue(s int, at int64) {
	rc.rng ^= rc.rng << 13
	rc.rng ^= rc.rng >> 7
	rc.rng ^= rc.rng << 17
	topic := int32(rc.rng % uint64(len(rc.p.reqs)))
	rc.gen++
	op := opaqueBase + (rc.gen*uint32(len(rc.slots))+uint32(s))%opaqueSpan
	rc.slots[s] = slot{sent: at, opaque: op, topic: topic}
	rc.wbuf = rc.p.reqs[topic].appendTo(rc.wbuf, op)
	rc.open++
}

func (rc *routeConn) flush() error {
	if len(rc.wbuf) == 0 {
		return nil
	}
	t := now()
	for _, s := range rc.fresh {
		rc.slots[s].sent = t
	}
	rc.fresh = rc.fresh[:0]
	_, err := rc.c.Write(rc.wbuf)
	rc.wbuf = rc.wbuf[:0]
	return err
}

// take accounts for one response frame and returns its slot.
func (rc *routeConn) take(f []byte, at int64) (int, error) {
	code, op, body, err := splitResponse(f)
	if err != nil {
		return 0, err
	}
	s := int(op & rc.mask)
	sl := &rc.slots[s]
	if sl.opaque != op {
		return 0, fmt.Errorf("response to unknown opaque %d", op)
	}
	sl.opaque = 0
	rc.open--
	rc.seen++
	bad := false
	if code != rcSuccess {
		bad = true
		rc.p.note(fmt.Errorf("route of %s: code %d", topicName(int(sl.topic)), code))
	} else if rc.seen%uint64(rc.p.o.check) == 0 || rc.p.okLen[sl.topic].Load() != int32(len(body)) {
		rc.checks++
		if err := rc.p.t.checkRoute(int(sl.topic), body); err != nil {
			bad = true
			rc.p.note(err)
		} else {
			rc.p.okLen[sl.topic].Store(int32(len(body)))
		}
	}
	if at >= rc.p.begin && at <= rc.p.end {
		if bad {
			rc.errs++
		} else {
			rc.h.add(at - sl.sent)
			rc.bytes += uint64(len(f))
		}
	}
	return s, nil
}

// frames reads the connection and hands every whole frame of a read to each,
// then calls after, until after says to stop.
func (rc *routeConn) frames(each func(f []byte, at int64) error, after func() (bool, error)) error {
	buf := make([]byte, 64<<10)
	have := 0
	for {
		n, err := rc.c.Read(buf[have:])
		if err != nil {
			return err
		}
		at := now()
		have += n
		off := 0
		for {
			size, err := frameSize(buf[off:have])
			if err != nil {
				return err
			}
			if size == 0 || off+size > have {
				if size > len(buf) {
					nb := make([]byte, 2*size)
					have = copy(nb, buf[off:have])
					buf, off = nb, 0
				}
				break
			}
			if err := each(buf[off:off+size], at); err != nil {
				return err
			}
			off += size
		}
		if off > 0 {
			have = copy(buf, buf[off:have])
		}
		if done, err := after(); done || err != nil {
			return err
		}
	}
}

// closed keeps the window full.
func (rc *routeConn) closed() error {
	for s := 0; s < rc.p.o.window; s++ {
		rc.issue(s, 0)
		rc.fresh = append(rc.fresh, int32(s))
	}
	if err := rc.flush(); err != nil {
		return err
	}
	return rc.frames(func(f []byte, at int64) error {
		s, err := rc.take(f, at)
		if err == nil && at < rc.p.end && !rc.p.abort.Load() {
			rc.issue(s, 0)
			rc.fresh = append(rc.fresh, int32(s))
		}
		return err
	}, func() (bool, error) {
		if err := rc.flush(); err != nil {
			return true, err
		}
		return rc.open == 0, nil
	})
}

// lateTimer is how late the generator's own timer may be before the delay counts
// as the server's.
const lateTimer = int64(2 * time.Millisecond)

// drainTime is how long the answers to the last requests may take.
const drainTime = 10 * time.Second

// paced sends at a fixed rate whatever the server does, at most window requests
// under way; latency counts from the time a request was due, so that a server
// that stalls pays for the requests it held up.
func (rc *routeConn) paced(perSecond float64, phase float64) error {
	gap := 1e9 / perSecond
	free := make(chan int, len(rc.slots))
	for s := 0; s < rc.p.o.window; s++ {
		free <- s
	}
	var mu sync.Mutex
	fail := make(chan error, 1)
	start := float64(now()) + phase*gap
	go func() {
		var out []byte
		flush := func() bool {
			mu.Lock()
			out = append(out[:0], rc.wbuf...)
			rc.wbuf = rc.wbuf[:0]
			mu.Unlock()
			if len(out) == 0 {
				return true
			}
			_, err := rc.c.Write(out)
			if err != nil {
				fail <- err
			}
			return err == nil
		}
		for k := 0; ; {
			t := now()
			if t >= rc.p.end || rc.p.abort.Load() {
				break
			}
			due := start + float64(k)*gap
			if float64(t) < due {
				time.Sleep(time.Duration(due - float64(t)))
				continue
			}
			mu.Lock()
			for float64(t) >= due {
				mu.Unlock()
				s, at := 0, int64(due)
				select {
				case s = <-free:
					if t-at < lateTimer {
						at = t
					}
				default:
					// What is ready must go first: none may be under way yet.
					if !flush() {
						return
					}
					s = <-free
				}
				mu.Lock()
				rc.issue(s, at)
				k++
				due = start + float64(k)*gap
			}
			mu.Unlock()
			if !flush() {
				return
			}
		}
		for end := time.Now().Add(drainTime); time.Now().Before(end); time.Sleep(time.Millisecond) {
			mu.Lock()
			left := rc.open
			mu.Unlock()
			if left == 0 {
				break
			}
		}
		rc.c.SetReadDeadline(time.Now())
	}()
	err := rc.frames(func(f []byte, at int64) error {
		mu.Lock()
		s, err := rc.take(f, at)
		mu.Unlock()
		if err == nil {
			free <- s
		}
		return err
	}, func() (bool, error) { return false, nil })
	if ne, ok := err.(net.Error); ok && ne.Timeout() && now() >= rc.p.end {
		mu.Lock()
		left := rc.open
		mu.Unlock()
		if left == 0 {
			return nil
		}
		return fmt.Errorf("%d requests never answered", left)
	}
	select {
	case err = <-fail:
	default:
	}
	return err
}

type routeResult struct {
	Mode        string   `json:"mode"`
	Conns       int      `json:"conns"`
	Window      int      `json:"window"`
	Rate        float64  `json:"rate,omitempty"`
	Brokers     int      `json:"brokers_per_route"`
	Topics      int      `json:"topics"`
	Seconds     float64  `json:"seconds"`
	Requests    uint64   `json:"requests"`
	Errors      uint64   `json:"errors"`
	Checked     uint64   `json:"bodies_checked"`
	ErrorText   []string `json:"error_text,omitempty"`
	ReqPerS     float64  `json:"req_per_s"`
	MBPerS      float64  `json:"mb_per_s"`
	RespBytes   float64  `json:"response_bytes"`
	LatencyUs   latency  `json:"latency_us"`
	GenCPUS     float64  `json:"generator_cpu_s"`
	ServerCPUS  float64  `json:"server_cpu_s,omitempty"`
	ServerUsReq float64  `json:"server_cpu_us_per_req,omitempty"`
	RSSKB       int64    `json:"server_rss_kb,omitempty"`
	PeakKB      int64    `json:"server_peak_rss_kb,omitempty"`
}

func runRoutes(t *topology, o *options) (routeResult, error) {
	p := &routePlan{t: t, o: o, reqs: make([]request, t.topics), okLen: make([]atomic.Int32, t.topics)}
	for i := range p.reqs {
		p.reqs[i] = t.routeRequest(topicName(i), o.binary)
	}
	conns := make([]*routeConn, o.conns)
	for i := range conns {
		c, err := net.DialTimeout("tcp", o.addr, 10*time.Second)
		if err != nil {
			return routeResult{}, err
		}
		defer c.Close()
		conns[i] = newRouteConn(p, c, uint64(i)+1)
	}
	t0 := now()
	p.begin = t0 + int64(o.warm*1e9)
	p.end = p.begin + int64(o.seconds*1e9)
	for _, rc := range conns {
		rc.c.SetReadDeadline(time.Now().Add(time.Duration((o.warm+o.seconds)*1e9) + 15*time.Second))
	}
	var wg sync.WaitGroup
	var failed atomic.Uint64
	for i, rc := range conns {
		wg.Add(1)
		go func() {
			defer wg.Done()
			var err error
			if o.rate > 0 {
				err = rc.paced(o.rate/float64(o.conns), float64(i)/float64(o.conns))
			} else {
				err = rc.closed()
			}
			if err != nil {
				failed.Add(1)
				p.note(err)
			}
		}()
	}
	time.Sleep(time.Duration(p.begin - now()))
	g0, s0 := selfCPU(), o.pids.cpu()
	time.Sleep(time.Duration(p.end - now()))
	g1, s1 := selfCPU(), o.pids.cpu()
	rss := o.pids.rssKB()
	wg.Wait()
	var h hist
	r := routeResult{Mode: "route", Conns: o.conns, Window: o.window, Rate: o.rate, Brokers: t.perTopic, Topics: t.topics, Seconds: o.seconds}
	var bytes uint64
	for _, rc := range conns {
		h.merge(&rc.h)
		bytes += rc.bytes
		r.Errors += rc.errs
		r.Checked += rc.checks
	}
	r.Errors += failed.Load()
	r.ErrorText = p.errors
	r.Requests = h.n
	r.ReqPerS = round(float64(h.n)/o.seconds, 0)
	r.MBPerS = round(float64(bytes)/o.seconds/1e6, 1)
	if h.n > 0 {
		r.RespBytes = round(float64(bytes)/float64(h.n), 0)
	}
	r.LatencyUs = h.micros()
	r.GenCPUS = round(g1-g0, 2)
	if len(o.pids) > 0 {
		r.ServerCPUS = round(s1-s0, 2)
		if h.n > 0 {
			r.ServerUsReq = round((s1-s0)*1e6/float64(h.n), 2)
		}
		r.RSSKB, r.PeakKB = rss, o.pids.peakKB()
	}
	return r, nil
}
