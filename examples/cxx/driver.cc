/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * particles.Driver: moves particles, of which there are more or fewer in each phase, and comes by a
 * SwapPoint between the phases.
 */
#include <portolan/component.hpp>

#include "particles.hpp"

#include <cmath>
#include <fstream>
#include <iomanip>
#include <memory>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>

namespace
{

/* Particles at rest, wherever chance (always the same) puts them; kicked and moved in turn. */
class Simulation
{
  public:
    explicit Simulation(std::size_t n) : position_(n), velocity_(n, {0, 0, 0})
    {
        std::mt19937 random(1);
        const auto place = [&] {
            return particles::box * (static_cast<double>(random()) / 4294967296.0);
        };

        for (particles::Vector &p : position_)
            p = {place(), place(), place()};
    }

    void step(particles::Forces &forces, double dt)
    {
        potential_ = forces.compute(position_, force_);
        for (std::size_t i = 0; i < position_.size(); i++) {
            move(position_[i].x, velocity_[i].x, force_[i].x, dt);
            move(position_[i].y, velocity_[i].y, force_[i].y, dt);
            move(position_[i].z, velocity_[i].z, force_[i].z, dt);
        }
    }

    double energy() const
    {
        double sum = potential_;

        for (const particles::Vector &v : velocity_)
            sum += (v.x * v.x + v.y * v.y + v.z * v.z) / 2;
        return sum;
    }

  private:
    std::vector<particles::Vector> position_, velocity_, force_;
    double potential_ = 0;

    static void move(double &x, double &v, double f, double dt)
    {
        v += f * dt;
        x += v * dt;
        x -= particles::box * std::floor(x / particles::box);
    }
};

struct Driver {
    struct sidl_object object; /* first */
    gov_cca_Services services;

    void go()
    {
        portolan::used<particles::Forces> forces(services, "forces");
        gov_cca_TypeMap map = portolan_component_properties(services, portolan::check());
        const std::vector<std::size_t> sizes = read_sizes(map);
        const int steps = gov_cca_TypeMap_getInt(map, "steps", 20, portolan::check());
        const int phases = gov_cca_TypeMap_getInt(map, "phases", 1, portolan::check());
        std::ofstream report(read_text(map, "report"));

        report << std::setprecision(9);
        gov_cca_TypeMap_deleteRef(map, portolan::check());
        for (int phase = 0; phase < phases; phase++) {
            const std::size_t n = sizes[static_cast<std::size_t>(phase) % sizes.size()];
            Simulation simulation(n);

            pass_swap_point(phase, static_cast<double>(n));
            for (int i = 0; i < steps; i++)
                simulation.step(*forces.operator->(), 0.01);
            report << phase << " " << n << " " << simulation.energy() << "\n";
        }
        pass_swap_point(phases, 0);
    }

    static std::string read_text(gov_cca_TypeMap map, const char *name)
    {
        char *text = gov_cca_TypeMap_getString(map, name, "", portolan::check());
        std::string copy(text);

        sidl_String_free(text);
        return copy;
    }

    /* "20 20 2000", or else the one n. */
    static std::vector<std::size_t> read_sizes(gov_cca_TypeMap map)
    {
        std::istringstream words(read_text(map, "sequence"));
        std::vector<std::size_t> sizes;
        long n;

        while (words >> n)
            sizes.push_back(static_cast<std::size_t>(n));
        if (!words.eof())
            throw std::invalid_argument("parameter 'sequence' is a list of whole numbers");
        if (sizes.empty())
            sizes.push_back(
                static_cast<std::size_t>(gov_cca_TypeMap_getInt(map, "n", 100, portolan::check())));
        return sizes;
    }

    /* Where implementations may change, told how many particles there are going to be. */
    void pass_swap_point(int phase, double n)
    {
        gov_cca_Port port = gov_cca_Services_getPortNonblocking(services, "swap", portolan::check());

        if (!port)
            return;
        portolan_ports_SwapPoint swap = portolan_ports_SwapPoint__cast(port, portolan::check());

        gov_cca_Port_deleteRef(port, portolan::check());
        if (n > 0)
            portolan_ports_SwapPoint_announce(swap, "position", n, portolan::check());
        portolan_ports_SwapPoint_reached(swap, phase, portolan::check());
        portolan_ports_SwapPoint_deleteRef(swap, portolan::check());
        gov_cca_Services_releasePort(services, "swap", portolan::check());
    }
};

void set_services(void *self, gov_cca_Services services, sidl_BaseInterface *_ex)
{
    static_cast<Driver *>(self)->services = services;
    portolan::guarded(_ex, "particles.Driver", [&] {
        gov_cca_Services_registerUsesPort(services, "forces", "particles.Forces", nullptr,
                                          portolan::check());
        gov_cca_Services_registerUsesPort(services, "swap", "portolan.ports.SwapPoint", nullptr,
                                          portolan::check());
        gov_cca_Services_addProvidesPort(
            services, static_cast<gov_cca_Port>(sidl_object_facet(self, "gov.cca.Port")), "go",
            "gov.cca.ports.GoPort", nullptr, portolan::check());
    });
}

int32_t go(void *self, sidl_BaseInterface *_ex)
{
    portolan::guarded(_ex, "particles.Driver", [&] { static_cast<Driver *>(self)->go(); });
    return *_ex ? -1 : 0;
}

const struct gov_cca_Component__epv component_epv = [] {
    struct gov_cca_Component__epv epv = {};

    epv.f_setServices = set_services;
    return epv;
}();
const struct gov_cca_ports_GoPort__epv go_epv = [] {
    struct gov_cca_ports_GoPort__epv epv = {};

    epv.f_go = go;
    return epv;
}();
const struct sidl_implements implements[] = {{&gov_cca_ports_GoPort__type, &go_epv},
                                             {&gov_cca_Component__type, &component_epv}};
const struct sidl_class driver_class = [] {
    struct sidl_class c = {};

    c.name = "particles.Driver";
    c.version = "1.0";
    c.size = sizeof(Driver);
    c.implements = implements;
    c.n_implements = 2;
    return c;
}();

gov_cca_Component create(sidl_BaseInterface *_ex)
{
    return static_cast<gov_cca_Component>(
        sidl_object_facet(sidl_object_create(&driver_class, _ex), "gov.cca.Component"));
}

} /* namespace */

PORTOLAN_COMPONENT(particles_Driver, "particles.Driver", create);
